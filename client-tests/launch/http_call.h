#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mishap/local_url.h"
#include "mishap/parameters.h"
#include "mishap/units.h"

namespace mishap::client_tests {

struct HttpRequest {
  std::string method = "GET";
  scenarios::LocalUrl url;
  std::vector<NameValue> headers;
  std::string body;
  std::string content_type;  // empty: none is sent
};

struct HttpAnswer {
  StatusCode status = 0;  // 0: none came
  std::string body;       // its beginning
  std::string error;      // why none came
};

// One request to this machine, on a thread of its own. Redirects are not followed. Destroying it
// gives it up.
class HttpCall {
 public:
  // `patience` is for each wait of the exchange: connecting, the next bytes.
  HttpCall(HttpRequest request, Duration patience);
  ~HttpCall();
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  bool done() const;

  // Once done.
  const HttpAnswer& answer() const;

  // Soon done, without an answer.
  void give_up();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace mishap::client_tests
