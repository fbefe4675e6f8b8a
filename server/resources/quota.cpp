#include <map>
#include <string>
#include <utility>

#include "server/resources/model.h"

// So many requests in a window of time, counted apart for each token, route or copy. The window
// begins with its first request. A request that comes before the wait is over makes it longer.
namespace mishap::server {
namespace {

double seconds(Duration length) {
  return std::chrono::duration<double>(length).count();
}

class Quota final : public Model {
 public:
  explicit Quota(const Params& params)
      : limit_(static_cast<std::uint64_t>(params.integer("limit"))),
        window_(params.duration("window")),
        penalty_(params.duration("penalty")),
        per_(params.text("per")) {}

  Ruling on_request(const ModelCall& call) override;
  std::vector<Reading> on_end(std::uint64_t) override { return {}; }

 private:
  struct Account {
    std::uint64_t count = 0;  // in the window under way
    Duration until{};         // when the next window begins, at the earliest
    bool is_shut = false;     // a request was turned away in this window
  };
  std::string key_of(const ModelCall& call) const;

  std::uint64_t limit_;
  Duration window_;
  Duration penalty_;
  std::string per_;
  std::map<std::string, Account, std::less<>> accounts_;
};

std::string Quota::key_of(const ModelCall& call) const {
  if (per_ == "token") return std::string(call.token);
  if (per_ == "route") return std::string(call.route);
  return per_ == "copy" ? std::to_string(call.lane) : std::string();
}

Ruling Quota::on_request(const ModelCall& call) {
  Account& account = accounts_[key_of(call)];
  if (account.count == 0 || call.now >= account.until) account = {0, call.now + window_, false};
  ++account.count;
  Ruling ruling;
  ruling.refused = account.count > limit_;
  ruling.applies = ruling.refused;
  if (ruling.refused) {
    if (std::exchange(account.is_shut, true)) account.until += penalty_;
    ruling.wait = account.until - call.now;
  }
  ruling.readings = {{"count", static_cast<double>(account.count)}, {"wait", seconds(ruling.wait)}};
  return ruling;
}

}  // namespace

std::unique_ptr<Model> make_quota(const Params& params) {
  return std::make_unique<Quota>(params);
}

}  // namespace mishap::server
