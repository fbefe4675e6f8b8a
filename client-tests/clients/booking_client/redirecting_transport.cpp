#include "client-tests/clients/booking_client/redirecting_transport.h"

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "client-tests/clients/booking_client/environment.h"

namespace booking {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

struct Place {
  std::string origin;
  std::string target;
};

// A whole URL, or a path at the same origin.
std::optional<Place> place_of(const std::string& location, const std::string& here) {
  if (location.starts_with('/')) return Place{here, location};
  Place place;
  if (!split_url(location, place.origin, place.target)) return std::nullopt;
  if (place.target.empty()) place.target = "/";
  return place;
}

bool is_followed(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

void become_get(Request& request) {
  request.method = "GET";
  request.body.clear();
  std::erase_if(request.headers, [](const auto& field) {
    return field.first == "Content-Type" || field.first == "Idempotency-Key";
  });
}

// What tells who we are, or what we do, is for the origin that it was made for.
void forget_credentials(Request& request) {
  std::erase_if(request.headers, [](const auto& field) {
    return field.first == "Authorization" || field.first == "Idempotency-Key";
  });
}

class RedirectingTransport : public Transport {
 public:
  RedirectingTransport(std::string origin, RedirectPolicy policy, MakeTransport make)
      : origin_(std::move(origin)), policy_(policy), make_(std::move(make)) {}

  Answer exchange(const Request& request, milliseconds limit) override {
    const steady_clock::time_point end = steady_clock::now() + limit;
    Request next = request;
    std::string origin = origin_;
    Answer answer = at(origin).exchange(next, limit);
    for (int hops = 0; hops < policy_.most && may_follow(answer); ++hops) {
      const auto place = place_of(answer.location, origin);
      const auto left = duration_cast<milliseconds>(end - steady_clock::now());
      if (!place || left.count() <= 0) break;
      turn_to(next, *place, answer.status, origin);
      origin = place->origin;
      answer = at(origin).exchange(next, left);
    }
    return answer;
  }

  void drop_connection() override { transports_.clear(); }

 private:
  // One that asks to wait first is for whoever plans the waits.
  static bool may_follow(const Answer& answer) {
    return answer.ending == Ending::Answered && is_followed(answer.status) &&
           !answer.location.empty() && answer.retry_after.empty();
  }

  // 307 and 308 mean the same request; after the others a GET tells what became of a create.
  void turn_to(Request& request, const Place& place, int status, const std::string& from) const {
    const bool means_the_same = status == 307 || status == 308;
    if (!means_the_same) become_get(request);
    if (place.origin != from && !policy_.keeps_credentials) forget_credentials(request);
    request.target = place.target;
  }

  Transport& at(const std::string& origin) {
    std::unique_ptr<Transport>& transport = transports_[origin];
    if (!transport) transport = make_(origin);
    return *transport;
  }

  std::string origin_;
  RedirectPolicy policy_;
  MakeTransport make_;
  std::map<std::string, std::unique_ptr<Transport>> transports_;
};

}  // namespace

std::unique_ptr<Transport> make_redirecting_transport(const std::string& origin,
                                                      RedirectPolicy policy, MakeTransport make) {
  return std::make_unique<RedirectingTransport>(origin, policy, std::move(make));
}

}  // namespace booking
