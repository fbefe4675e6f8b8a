#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "client-tests/launch/launcher.h"
#include "client-tests/launch/probe_linux.h"

// What the tests of this folder share: real children, a clock, and ways to ask what is left.
namespace mishap::client_tests {

class TestClock final : public server::Clock {
 public:
  Duration now() const override {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  std::chrono::system_clock::time_point wall(Duration) const override { return {}; }
};

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "launch-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<pid_t> pids_in(const std::string& text) {
  std::vector<pid_t> pids;
  std::istringstream words(text);
  for (pid_t pid = 0; words >> pid;) pids.push_back(pid);
  return pids;
}

// Not even as a zombie.
inline bool is_gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

inline std::size_t open_descriptors() {
  return read_descriptors(::getpid())->count;
}

// Children of this process, zombies among them.
inline std::size_t own_children() {
  std::size_t count = 0;
  for (const pid_t pid : list_processes()) {
    const auto stat = read_stat(pid);
    if (stat && stat->parent == ::getpid()) ++count;
  }
  return count;
}

class LaunchTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::seconds kPatience{20};

  static LaunchSpec shell(const std::string& script) {
    LaunchSpec spec;
    spec.command = {"/bin/sh", "-c", script};
    return spec;
  }

  // Runs one client by the orders given; one that never ends is killed when patience is over.
  LaunchResult run(const LaunchSpec& spec, const std::function<Order()>& orders = nullptr) {
    const Duration began = clock_.now();
    const auto keep_going = [&] {
      if (clock_.now() - began > kPatience) {
        ADD_FAILURE() << "the client did not end in time";
        return Order::Kill;
      }
      return orders ? orders() : Order::GoOn;
    };
    auto results = run_clients({spec}, watch_, clock_, began, keep_going);
    EXPECT_EQ(results.size(), 1U);
    return std::move(results.at(0));
  }

  // In the end; the thread of the watch holds some of its own for moments.
  bool descriptors_fall_to(std::size_t count) const {
    const Duration began = clock_.now();
    while (open_descriptors() > count) {
      if (clock_.now() - began > kPatience) return false;
      std::this_thread::yield();
    }
    return true;
  }

  // Orders it as soon as the file holds a line: the client says when it is ready.
  static std::function<Order()> once_written(const std::string& file, Order order) {
    return [file, order] {
      return text_of_file(file).find('\n') == std::string::npos ? Order::GoOn : order;
    };
  }

  TestClock clock_;
  ProcessWatch watch_;
  Scratch scratch_;
};

}  // namespace mishap::client_tests
