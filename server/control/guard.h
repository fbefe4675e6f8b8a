#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/control/call.h"
#include "server/control/problem.h"

// Who may call at all. A page in the user's browser can reach loopback too: by a form or script of
// another origin, or by a name that it makes point to 127.0.0.1 (DNS rebinding).
namespace mishap::server::control {

struct Doors {
  bool loopback = true;            // it listens where only this machine can call
  std::vector<std::string> hosts;  // further names it goes by: --listen, --advertise
  std::string token;               // that callers must send; empty: none is asked for
};

// Whether an address can be reached from this machine only.
bool is_loopback(const std::string& address);

// Nothing where the call may come in.
std::optional<Problem> turned_away(const Doors& doors, const Call& call);

}  // namespace mishap::server::control
