#include "client-tests/clients/booking_client/leaky_transport.h"

#include <future>
#include <thread>
#include <utility>

#include "client-tests/clients/booking_client/httplib_transport.h"

namespace booking {
namespace {

constexpr milliseconds kAliveWithLeaks{6000};

// A detached thread may outlive the transport: it owns all it touches.
struct Exchange {
  std::shared_ptr<Transport> inner;
  Request request;
  std::promise<Answer> answer;
};

class LeakyTransport : public Transport {
 public:
  LeakyTransport(std::string origin, std::shared_ptr<LeakCount> leaks)
      : origin_(std::move(origin)), leaks_(std::move(leaks)) {}

  Answer exchange(const Request& request, milliseconds limit) override {
    if (!inner_) inner_ = make_httplib_transport(origin_);
    const auto running =
        std::make_shared<Exchange>(Exchange{inner_, request, std::promise<Answer>()});
    std::future<Answer> answer = running->answer.get_future();
    std::thread([running] {
      running->answer.set_value(running->inner->exchange(running->request, kForever));
    }).detach();
    if (answer.wait_for(limit) == std::future_status::ready) return answer.get();
    inner_.reset();
    ++*leaks_;
    Answer timed_out;
    timed_out.ending = Ending::TimedOut;
    return timed_out;
  }

  void drop_connection() override {
    if (inner_) inner_->drop_connection();
  }

 private:
  std::string origin_;
  std::shared_ptr<LeakCount> leaks_;
  std::shared_ptr<Transport> inner_;
};

}  // namespace

std::unique_ptr<Transport> make_leaky_transport(const std::string& origin,
                                                std::shared_ptr<LeakCount> leaks) {
  return std::make_unique<LeakyTransport>(origin, std::move(leaks));
}

void wait_with_leaks_open(const std::shared_ptr<LeakCount>& leaks) {
  if (*leaks > 0) std::this_thread::sleep_for(kAliveWithLeaks);
}

}  // namespace booking
