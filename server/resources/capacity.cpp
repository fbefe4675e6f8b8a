#include <algorithm>
#include <set>

#include "server/resources/model.h"

// A vendor with so many workers: each request in flight makes the next one slower, and above a
// limit it is turned away. In flight is what has been read and has not ended; a client that left is
// still being worked for.
namespace mishap::server {
namespace {

class Capacity final : public Model {
 public:
  explicit Capacity(const Params& params)
      : free_(static_cast<std::uint64_t>(params.integer("free"))),
        each_(params.has("each") ? params.duration("each") : Duration{}),
        limit_(params.has("limit") ? static_cast<std::uint64_t>(params.integer("limit"))
                                   : ~std::uint64_t{0}) {}

  Ruling on_request(const ModelCall& call) override;
  std::vector<Reading> on_end(std::uint64_t exchange) override {
    in_flight_.erase(exchange);
    return {};
  }

 private:
  std::uint64_t free_;  // so many cost nothing
  Duration each_;       // that every further one adds
  std::uint64_t limit_;
  std::set<std::uint64_t> in_flight_;
};

Ruling Capacity::on_request(const ModelCall& call) {
  const std::uint64_t now_in_flight = in_flight_.size() + 1;
  Ruling ruling;
  ruling.refused = now_in_flight > limit_;
  if (!ruling.refused) {
    in_flight_.insert(call.exchange);
    const std::uint64_t above = now_in_flight - std::min(now_in_flight, free_);
    ruling.wait = each_ * static_cast<Duration::rep>(above);
  }
  ruling.applies = ruling.refused || ruling.wait > Duration::zero();
  ruling.readings = {{"in_flight", static_cast<double>(now_in_flight)},
                     {"refused", ruling.refused ? 1.0 : 0.0},
                     {"wait", std::chrono::duration<double>(ruling.wait).count()}};
  return ruling;
}

}  // namespace

std::unique_ptr<Model> make_capacity(const Params& params) {
  return std::make_unique<Capacity>(params);
}

}  // namespace mishap::server
