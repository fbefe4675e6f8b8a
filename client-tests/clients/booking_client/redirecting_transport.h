// A transport that follows redirects (RFC 9110 section 15.4), over another one for each origin.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client-tests/clients/booking_client/transport.h"

namespace booking {

struct RedirectPolicy {
  int most = 10;                   // hops of one exchange
  bool keeps_credentials = false;  // also towards another origin
};

using MakeTransport = std::function<std::unique_ptr<Transport>(const std::string& origin)>;

std::unique_ptr<Transport> make_redirecting_transport(const std::string& origin,
                                                      RedirectPolicy policy, MakeTransport make);

}  // namespace booking
