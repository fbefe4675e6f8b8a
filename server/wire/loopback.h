#pragma once

#include <string>

namespace mishap::server {

// An address of 127.0.0.0/8 (RFC 1122 section 3.2.1.3) that nobody else is likely to use, another
// one each time. A connect to it can be told from all others even where only the address is known.
std::string next_own_loopback();

}  // namespace mishap::server
