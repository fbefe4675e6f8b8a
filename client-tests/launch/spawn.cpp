#include "client-tests/launch/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "client-tests/launch/file_descriptor.h"

namespace mishap::client_tests {
namespace {

constexpr const char* kShell = "/bin/sh";
constexpr int kReport = 3;  // the first descriptor that is not the client's

tl::unexpected<Error> failure(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected(Error{code, std::move(message), {}, std::move(hint)});
}

std::string from_folder(const std::string& path, const std::string& folder) {
  return folder.empty() || path.starts_with('/') ? path : folder + "/" + path;
}

// 0 where it can be run, else the reason as errno.
int refusal_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return errno;
  if (S_ISDIR(facts.st_mode)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

tl::unexpected<Error> refused(const std::string& name, int reason) {
  if (reason == ENOENT || reason == ENOTDIR) {
    return failure(ErrorCode::NotFound, "no such client: " + name);
  }
  if (reason == EISDIR) return failure(ErrorCode::BadInput, "the client is a folder: " + name);
  if (reason == EACCES) {
    return failure(ErrorCode::BadInput, "the client may not be executed: " + name,
                   "chmod +x, or name its interpreter: python3 " + name);
  }
  return failure(ErrorCode::BadInput, fmt::format("the client cannot be executed: {} ({})", name,
                                                  std::strerror(reason)));
}

std::vector<std::string> folders_of(const std::string& path) {
  std::vector<std::string> folders;
  std::size_t at = 0;
  while (true) {
    const std::size_t colon = path.find(':', at);
    folders.push_back(path.substr(at, colon - at));
    if (folders.back().empty()) folders.back() = ".";
    if (colon == std::string::npos) return folders;
    at = colon + 1;
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> pairs_of(const std::vector<NameValue>& environment) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : environment) pairs.push_back(name + "=" + value);
  return pairs;
}

// What the child needs to become the client, made ready before it exists: it may share our memory
// until it executes, so that it may only call the kernel.
struct Child {
  const SpawnSpec& spec;
  const char* program;
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int report;  // takes the reason why it could not execute
};

bool reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  // Two numbers are the library's own and are refused.
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

bool place_descriptors(const SpawnSpec& spec, int& report) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0) return false;
  if (::dup2(spec.out, 1) < 0 || ::dup2(spec.err, 2) < 0) return false;
  if (report != kReport && ::dup3(report, kReport, O_CLOEXEC) < 0) return false;
  report = kReport;
  // Libraries open sockets that a new program would inherit; a copy of a server's socket would
  // keep its connection open after the server has closed it.
  ::closefrom(kReport + 1);
  return true;
}

// A mishap that is killed without a word must not leave its client running. The kernel sends this
// when the thread that started the client ends, which waits for the client in every other case.
bool die_with(pid_t parent) {
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent;
}

[[noreturn]] void become_client(const Child& child) {
  const std::string& folder = child.spec.working_folder;
  int report = child.report;
  const bool ready = ::setsid() >= 0 && reset_signals() && die_with(child.parent) &&
                     place_descriptors(child.spec, report) &&
                     (folder.empty() || ::chdir(folder.c_str()) == 0);
  if (ready) ::execve(child.program, child.arguments, child.environment);
  const int reason = errno == 0 ? ECHILD : errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

// vfork: our thread waits until the child has executed or has failed. The other threads go on;
// signals are held back, since a handler would run in the child as well.
[[gnu::noinline]] pid_t start(const Child& child) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) become_client(child);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return pid;
}

// 0 once the pipe was closed by the execution. A pipe and no variable: under ThreadSanitizer and
// emulators vfork is a fork, whose child writes into a memory of its own.
int reason_of(int report) {
  int reason = 0;
  ssize_t count = 0;
  do {
    count = ::read(report, &reason, sizeof reason);
  } while (count < 0 && errno == EINTR);
  return count == sizeof reason ? reason : 0;
}

int try_spawn(pid_t& pid, const SpawnSpec& spec, const std::string& program,
              std::vector<std::string> arguments) {
  auto pairs = pairs_of(spec.environment);
  const auto environment = pointers_to(pairs);
  const auto argv = pointers_to(arguments);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  const FileDescriptor told(ends[0]);
  FileDescriptor report(ends[1]);
  pid = start(Child{spec, program.c_str(), argv.data(), environment.data(), ::getpid(), ends[1]});
  if (pid < 0) return errno;
  report.reset();
  const int reason = reason_of(told.get());
  if (reason != 0) ::waitpid(pid, nullptr, 0);
  return reason;
}

}  // namespace

std::vector<NameValue> make_environment(const std::vector<NameValue>& added,
                                        const std::vector<std::string>& unset) {
  std::vector<NameValue> environment;
  const auto is_replaced = [&](const std::string& name) {
    return std::find(unset.begin(), unset.end(), name) != unset.end() ||
           std::any_of(added.begin(), added.end(),
                       [&](const NameValue& one) { return one.name == name; });
  };
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string pair = *entry;
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    std::string name = pair.substr(0, equals);
    if (!is_replaced(name)) environment.push_back({std::move(name), pair.substr(equals + 1)});
  }
  for (const auto& one : added) {
    const auto same = std::find_if(environment.begin(), environment.end(),
                                   [&](const NameValue& other) { return other.name == one.name; });
    if (same == environment.end()) {
      environment.push_back(one);
    } else {
      same->value = one.value;
    }
  }
  return environment;
}

std::string value_of(const std::vector<NameValue>& environment, std::string_view name) {
  const auto found = std::find_if(environment.begin(), environment.end(),
                                  [&](const NameValue& one) { return one.name == name; });
  return found == environment.end() ? std::string() : found->value;
}

tl::expected<std::string, Error> find_program(const std::string& name,
                                              const std::vector<NameValue>& environment,
                                              const std::string& working_folder) {
  if (name.empty()) return failure(ErrorCode::NotFound, "no client: the command is empty");
  if (name.find('/') != std::string::npos) {
    const int reason = refusal_of(from_folder(name, working_folder));
    if (reason != 0) return refused(name, reason);
    return name;  // the child is in its working folder when it executes it
  }
  int reason = ENOENT;
  const std::string path = value_of(environment, "PATH");
  for (const auto& folder : folders_of(path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path)) {
    const std::string candidate = folder + "/" + name;
    const int refusal = refusal_of(from_folder(candidate, working_folder));
    if (refusal == 0) return candidate;
    if (refusal == EACCES) reason = refusal;
  }
  return refused(name, reason);
}

tl::expected<pid_t, Error> spawn(const SpawnSpec& spec) {
  pid_t pid = 0;
  int reason = try_spawn(pid, spec, spec.program, spec.command);
  if (reason == ENOEXEC) {
    std::vector<std::string> script{kShell, spec.program};
    script.insert(script.end(), std::next(spec.command.begin()), spec.command.end());
    reason = try_spawn(pid, spec, kShell, std::move(script));
  }
  if (reason == 0) return pid;
  const std::string& name = spec.command.front();
  struct stat facts {};
  if (!spec.working_folder.empty() &&
      (::stat(spec.working_folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))) {
    return failure(ErrorCode::NotFound, "no such working folder: " + spec.working_folder);
  }
  if (reason == ENOENT) {
    return failure(ErrorCode::NotFound,
                   "the client cannot be executed: the interpreter of " + name + " is missing",
                   "see the #! line of the file");
  }
  const bool ours = reason == EAGAIN || reason == ENOMEM || reason == EMFILE || reason == ENFILE;
  return failure(
      ours ? ErrorCode::Environment : ErrorCode::BadInput,
      fmt::format("the client cannot be executed: {} ({})", name, std::strerror(reason)));
}

}  // namespace mishap::client_tests
