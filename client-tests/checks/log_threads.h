#pragma once

#include <map>
#include <set>
#include <string_view>

#include "client-tests/checks/client_output.h"

// Which lines of a log are about an operation: those that name it, and those that share an id with
// one of these, as the lines of one trace do.
namespace mishap::client_tests {

class LogThreads {
 public:
  // `usual` is what the client says on the good day: what stands there too (its host, its version,
  // the date) is no id of an operation. Null: not known. Both are borrowed.
  LogThreads(const SaidLines& said, const SaidLines* usual) : said_(said), usual_(usual) {}

  // The lines that name an operation. All of the copy are told first, so that what two of them
  // share counts as an id of neither.
  void add(std::size_t operation, std::set<std::size_t> lines);

  const std::set<std::size_t>& naming(std::size_t operation) const;
  // By id only.
  std::set<std::size_t> sharing(std::size_t operation) const;

 private:
  bool is_id_of(std::string_view word, std::size_t operation) const;

  const SaidLines& said_;
  const SaidLines* usual_;
  std::map<std::size_t, std::set<std::size_t>> naming_;      // lines, by operation
  std::map<std::size_t, std::set<std::size_t>> operations_;  // by line
};

}  // namespace mishap::client_tests
