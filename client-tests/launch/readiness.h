#pragma once

#include <memory>
#include <optional>
#include <string>

#include "client-tests/launch/http_call.h"
#include "mishap/client.h"

namespace mishap::client_tests {

class ClientCopy;

// Whether a service takes requests. Asked every turn; never blocks.
class Readiness {
 public:
  // Of a service that says nothing of itself: ready at once. `ready` must be whole: no templates.
  explicit Readiness(std::optional<scenarios::Ready> ready);

  // Before the service is started: somebody else has its place, so that his answers would be taken
  // for its own. Empty: nobody.
  std::string who_is_there() const;

  bool look(const ClientCopy& service);

  // "nothing answered at http://127.0.0.1:4000/health", for when patience is over.
  std::string what_is_missing() const;

 private:
  bool answers();
  bool accepts() const;

  std::optional<scenarios::Ready> ready_;
  scenarios::LocalUrl place_;  // of a URL or a port
  std::unique_ptr<HttpCall> call_;
  StatusCode last_status_ = 0;
};

}  // namespace mishap::client_tests
