// The transport of the right client: cpp-httplib, one kept-alive connection, a watchdog.
#pragma once

#include <memory>
#include <string>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

// What the library's own timeouts are set to, apart from connecting.
enum class ReadTimeout {
  Watched,  // the watchdog ends the whole exchange at its limit, however slowly bytes come
  PerRead,  // the library's way: every read may take the limit anew (a wrong client)
};

// Whether a certificate is looked at (a wrong client does not).
enum class Trust { Verified, Anybody };

enum class Body { Bounded, Whole };  // whole, however large: a wrong client

enum class Connecting { Bounded, Patient };  // as long as the system tries: a wrong client

// `origin` is scheme://host:port. Not for use by two threads at a time.
std::unique_ptr<Transport> make_httplib_transport(const std::string& origin,
                                                  ReadTimeout read_timeout = ReadTimeout::Watched,
                                                  Trust trust = Trust::Verified,
                                                  Body body = Body::Bounded,
                                                  Connecting connecting = Connecting::Bounded);

}  // namespace booking
