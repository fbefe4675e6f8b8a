#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/parameters.h"

namespace mishap::client_tests {

// Our own environment without the names in `unset`, then with `added`, which wins.
std::vector<NameValue> make_environment(const std::vector<NameValue>& added,
                                        const std::vector<std::string>& unset);

// The value of a variable, empty where there is none.
std::string value_of(const std::vector<NameValue>& environment, std::string_view name);

// Where the program of a command lies: a name with a slash as it is (from `working_folder`),
// another by the PATH of the client's environment. NotFound "no such client: ...", or BadInput
// where it is there and cannot be run.
tl::expected<std::string, Error> find_program(const std::string& name,
                                              const std::vector<NameValue>& environment,
                                              const std::string& working_folder);

struct SpawnSpec {
  std::string program;  // from find_program
  std::vector<std::string> command;
  std::vector<NameValue> environment;
  std::string working_folder;  // empty: ours
  int out = -1;                // becomes stdout
  int err = -1;                // becomes stderr
};

// Starts it as leader of a session of its own: signals at their defaults, stdin from /dev/null, no
// other descriptor of ours. A file without a #! line is given to /bin/sh, as a shell would.
tl::expected<pid_t, Error> spawn(const SpawnSpec& spec);

}  // namespace mishap::client_tests
