// One HTTP exchange with a hard limit of time. Knows nothing of bookings or of retrying.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client-tests/clients/booking_client/settings.h"

namespace booking {

struct Request {
  std::string method;
  std::string target;  // path and query, already encoded
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// How an exchange ended, as far as the client can see it.
enum class Ending {
  Answered,      // a whole, well-framed answer
  NotConnected,  // no connection: the server has seen nothing of the request
  NotTrusted,    // the server's certificate was refused
  Lost,          // connected, then no answer: the request may or may not have been carried out
  TimedOut,      // as Lost, because our patience ended
  CutShort,      // the head of an answer came, its body did not come whole
  Malformed,     // framing that contradicts itself, an encoding not asked for, a body too large
};

struct Answer {
  Ending ending = Ending::Lost;
  int status = 0;  // 0 when no head came; may be set for CutShort, Malformed and TimedOut
  std::string content_type;
  std::vector<std::string> retry_after;   // every field of that name
  std::string body;                       // whole only when Answered
  std::string location{};                 // where a redirect leads
  std::vector<std::string> rate_limit{};  // every field of that name
  std::string request_id{};               // what the vendor calls the request, for its support
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Blocks for at most `limit`. When it returns without an answer the connection is closed already.
  virtual Answer exchange(const Request& request, milliseconds limit) = 0;

  // The next exchange uses a new connection.
  virtual void drop_connection() = 0;
};

}  // namespace booking
