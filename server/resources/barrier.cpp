#include <optional>
#include <set>

#include "server/resources/model.h"

// The first N requests of the run are held until all of them have come, or the first has waited
// long enough. One that was given up by its client has come all the same. After that nobody is held
// any more.
namespace mishap::server {
namespace {

double seconds(Duration length) {
  return std::chrono::duration<double>(length).count();
}

class Barrier final : public Model {
 public:
  Barrier(const Params& params, std::uint64_t event)
      : event_(event),
        needed_(static_cast<std::uint64_t>(params.integer("count"))),
        within_(params.duration("within")) {}

  Ruling on_request(const ModelCall& call) override;
  std::vector<Reading> on_end(std::uint64_t exchange) override;

 private:
  bool is_over(Duration now) const { return opened_ || (first_ && now >= *first_ + within_); }
  std::vector<Reading> readings() const;

  std::uint64_t event_;
  std::uint64_t needed_;
  Duration within_;
  std::optional<Duration> first_;
  std::optional<Duration> opened_;
  std::uint64_t come_ = 0;
  std::set<std::uint64_t> held_;
};

Ruling Barrier::on_request(const ModelCall& call) {
  Ruling ruling;
  ruling.applies = !is_over(call.now);
  ruling.refused = false;
  if (!ruling.applies) return ruling;
  if (!first_) first_ = call.now;
  held_.insert(call.exchange);
  ruling.event = event_;
  ruling.wait = *first_ + within_ - call.now;
  ruling.opens = ++come_ == needed_;
  if (ruling.opens) opened_ = call.now;
  ruling.readings = readings();
  return ruling;
}

std::vector<Reading> Barrier::readings() const {
  std::vector<Reading> all = {{"come", static_cast<double>(come_)}};
  if (opened_) all.push_back({"opened", seconds(*opened_)});
  return all;
}

std::vector<Reading> Barrier::on_end(std::uint64_t exchange) {
  return held_.erase(exchange) == 0 ? std::vector<Reading>{} : readings();
}

}  // namespace

std::unique_ptr<Model> make_barrier(const Params& params, std::uint64_t event) {
  return std::make_unique<Barrier>(params, event);
}

}  // namespace mishap::server
