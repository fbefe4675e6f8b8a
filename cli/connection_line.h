#pragma once

#include <map>
#include <string>

#include "mishap/journal.h"

namespace mishap::cli {

// What became of a connection that no exchange tells of: turned away at the proxy, TLS that failed,
// ended before a request. One line for people, without its newline; empty: there is nothing to say.
std::string connection_line(const server::Connection& connection);

// What a listener does to those who connect, who see it and are not seen. One line when it begins
// and one when it ends, however often more is told of it. Not thread-safe.
class SpellLines {
 public:
  // Without its newline; empty: nothing is new.
  std::string line(const server::ListenerSpell& spell);

 private:
  enum class Told { Nothing, Begin, End };
  std::map<std::uint64_t, Told> told_;  // by spell
};

}  // namespace mishap::cli
