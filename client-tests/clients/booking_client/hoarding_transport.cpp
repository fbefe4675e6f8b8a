#include "client-tests/clients/booking_client/hoarding_transport.h"

#include <utility>
#include <vector>

#include "client-tests/clients/booking_client/httplib_transport.h"

namespace booking {
namespace {

class HoardingTransport : public Transport {
 public:
  explicit HoardingTransport(std::string origin) : origin_(std::move(origin)) {}

  Answer exchange(const Request& request, milliseconds limit) override {
    clients_.push_back(make_httplib_transport(origin_));
    return clients_.back()->exchange(request, limit);
  }

  void drop_connection() override {}  // the next attempt has one of its own anyway

 private:
  std::string origin_;
  std::vector<std::unique_ptr<Transport>> clients_;
};

}  // namespace

std::unique_ptr<Transport> make_hoarding_transport(const std::string& origin) {
  return std::make_unique<HoardingTransport>(origin);
}

}  // namespace booking
