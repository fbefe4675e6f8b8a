#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mishap/recording.h"

// What the tests of stored suites share: a folder, a suite with something in every field, and the
// comparison of all of it.
namespace mishap::client_tests {

class StoredSuite : public ::testing::Test {
 protected:
  StoredSuite();
  ~StoredSuite() override;

  std::string at(const std::string& name) const { return root_ + "/" + name; }
  static std::string text_of(const std::filesystem::path& path);
  static void change(const std::filesystem::path& path, const std::string& from,
                     const std::string& to);
  // Every file below, by its name in the folder.
  static std::map<std::string, std::string> files_of(const std::string& folder);

 private:
  std::string root_;
};

Recording a_recording(const std::string& name);
Suite a_suite();
void expect_same(const std::vector<Recording>& a, const std::vector<Recording>& b);

}  // namespace mishap::client_tests
