#pragma once

#include <vector>

#include "client-tests/checks/check.h"

// Redirects that the client followed.
namespace mishap::client_tests {

// A request, and each further one that went where the answer before had sent it.
struct RedirectChain {
  std::vector<const server::Exchange*> exchanges;
  std::size_t hops() const { return exchanges.size() - 1; }
};

// Chains of at least one hop, in the order of their first requests. A hop is the lane's next
// request for the path that Location names, before it asked anew for what the redirect was about.
std::vector<RedirectChain> followed_redirects(const Recording& recording);

bool is_redirect(const server::Exchange& exchange);  // 3xx with Location, sent whole

// "#4 -> #5 -> #6", at most the first few.
std::string path_of(const RedirectChain& chain);

}  // namespace mishap::client_tests
