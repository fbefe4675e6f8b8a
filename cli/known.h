#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "mishap/known.h"
#include "mishap/verdict.h"

// The list of known findings of a run, and how it is written.
namespace mishap::cli {

struct KnownList {
  std::string file;  // the one that --write-known writes
  std::vector<scenarios::KnownFinding> of_file;
  std::vector<scenarios::KnownFinding> all;  // those of mishap.yaml before them
};

// Reads what is in force; all that is wrong with it goes to stderr. `scenarios`: names that will be
// run or could be. Nothing where there was an error.
std::optional<KnownList> load_known_list(const TestArguments& arguments,
                                         const std::vector<std::string>& scenarios);

struct KnownUpdate {
  std::vector<scenarios::KnownFinding> list;
  std::size_t added = 0;
  std::vector<scenarios::KnownFinding> renewed;  // were over and are met: hold again
};

// The list with every fail that counts on it. Entries that are there stay with their reasons.
KnownUpdate with_new_fails(std::vector<scenarios::KnownFinding> list,
                           const client_tests::SuiteVerdict& verdict, const std::string& day);

// Writes the file whole or not at all, and says what was done.
tl::expected<std::string, Error> write_known(const KnownList& known, const KnownUpdate& update);

}  // namespace mishap::cli
