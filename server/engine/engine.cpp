// The monitor around a play: one lock, no I/O inside; what can be computed before it is taken, is.
#include "server/engine/engine.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "server/engine/play.h"
#include "server/engine/request_facts.h"

namespace mishap::server {
namespace {

std::string content_type_of(const RequestView& view) {
  const std::string* value = view.header("Content-Type");
  return value == nullptr ? std::string() : *value;
}

std::string id_field_of(const Routed& routed) {
  return routed.resource == nullptr ? std::string("id") : routed.resource->id_field;
}

class PlayEngine final : public Engine {
 public:
  PlayEngine(const scenarios::Scenario& scenario, const RunOptions& options, WallClock wall)
      : play_(scenario, options, std::move(wall)), salt_(play_.salt()) {}

  void know_addresses(const std::vector<LaneAddress>& addresses) override {
    play_.know_addresses(addresses);
  }

  Decision accept(const Arrival& arrival, Duration now) override {
    const Change change(*this, now);
    return play_.accept(arrival, now);
  }

  // A listener that asks is no activity: nothing came.
  Door door(int lane, const std::string& api, Duration now) override {
    const Change change(*this, Duration{});
    return play_.door(lane, api, now);
  }

  int lane_of(std::uint64_t exchange) const override {
    const std::lock_guard lock(mutex_);
    return play_.lane_of(exchange);
  }

  void spell_seen(std::uint64_t spell, const SpellFacts& facts) override {
    ListenerSpell seen;
    Told<ListenerSpell> callback;
    {
      const Change change(*this, Duration{});
      play_.spell_seen(spell, facts);
      callback = spell_callback_;
      if (callback) seen = play_.recent().spells.at(spell - 1);
    }
    if (callback) (*callback)(seen);
  }

  void turned_away(std::uint64_t spell, Port client_port, Duration now) override {
    const Change change(*this, now);
    play_.turned_away(spell, client_port, now);
  }

  Decision head(std::uint64_t connection, RequestHead head, Duration first_byte,
                Duration now) override {
    Target target = parse_target(head.target);
    const Change change(*this, now);
    ++requests_;
    return play_.head(connection, std::move(head), std::move(target), first_byte, now);
  }

  Steps request(std::uint64_t exchange, std::string body, Duration now) override {
    const std::shared_ptr<LiveExchange> live = find(exchange);
    if (!live) return {Finish{}};
    ReadRequest read{{}, read_content(content_type_of(live->view), body)};
    add_body_facts(read.facts, live->view, read.content, body, salt_);
    if (live->routed.kind == Routed::Kind::Batch) {
      read.batch = take_apart(live->view, live->routed, read.content, salt_);
    }
    if (live->vendor->api().upstream) live->sent_body = std::move(body);
    const Change change(*this, now);
    return play_.request(*live, std::move(read), now);
  }

  Steps apply(std::uint64_t exchange, Duration now) override {
    const Change change(*this, now, Change::Books::Later);
    const std::shared_ptr<LiveExchange> live = play_.find(exchange);
    if (!live || live->applied || live->called || !live->view.body) return {Finish{}};
    return play_.apply(*live, now);
  }

  std::optional<UpstreamRequest> call_upstream(std::uint64_t exchange, Duration now) override {
    const Change change(*this, now);
    const std::shared_ptr<LiveExchange> live = play_.find(exchange);
    if (!live || live->called || !live->goes_upstream) return std::nullopt;
    return play_.call_upstream(*live, now);
  }

  Steps apply_answer(std::uint64_t exchange, UpstreamResult result, Duration now) override {
    const std::shared_ptr<LiveExchange> live = find(exchange);
    if (!live) return {Finish{}};
    UpstreamWords words;
    if (result.answer) words = read_words(*result.answer, id_field_of(live->routed));
    const Change change(*this, now);
    if (live->applied) return {Finish{}};
    return play_.apply_answer(*live, std::move(result), words, now);
  }

  Decision rejected(std::uint64_t connection, Rejection rejection, Duration first_byte,
                    Duration now) override {
    const Change change(*this, now);
    ++requests_;
    return play_.rejected(connection, rejection, first_byte, now);
  }

  Steps rejected_body(std::uint64_t exchange, Rejection rejection, Duration now) override {
    const Change change(*this, now);
    const std::shared_ptr<LiveExchange> live = play_.find(exchange);
    if (!live) return {CloseConnection{}};
    return play_.rejected_body(*live, rejection);
  }

  void client_left(std::uint64_t exchange, Departure /*departure*/, Duration at) override {
    const Change change(*this, at);
    play_.client_left(exchange, at);
  }

  void end(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt) override {
    const Change change(*this, receipt.ended.value_or(Duration{}));
    write_down({exchange, body_bytes_read, std::move(receipt)});
  }

  void end_soon(std::uint64_t exchange, std::uint64_t body_bytes_read, Receipt receipt) override {
    const Change change(*this, receipt.ended.value_or(Duration{}), Change::Books::Later);
    ended_.push_back({exchange, body_bytes_read, std::move(receipt)});
  }

  void settle() override { const Change change(*this, Duration{}); }

  void connection_ended(std::uint64_t connection, const ConnectionEnd& end) override {
    Connection ended;
    Told<Connection> callback;
    {
      const Change change(*this, end.closed);
      ended = play_.connection_ended(connection, end);
      callback = connection_callback_;
    }
    if (callback && ended.number != 0) (*callback)(ended);
  }

  void heal() override {
    const std::lock_guard lock(mutex_);
    play_.heal();
  }

  Journal snapshot() const override { return Log::whole(cut()); }

  std::uint64_t requests() const override { return requests_; }
  Duration last_activity() const override { return Duration(last_activity_.load()); }

  bool wait(const std::function<bool(const Journal&)>& done, Duration patience) const override {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return done(play_.recent()); });
  }

  void on_event(std::function<void(std::uint64_t)> callback) override {
    on_event_ = std::move(callback);
  }

  // The listeners are open by then, so somebody may have come already.
  void on_exchange(std::function<void(const Exchange&)> callback) override {
    const std::lock_guard lock(mutex_);
    on_exchange_ = std::move(callback);
  }

  void on_connection(std::function<void(const Connection&)> callback) override {
    auto kept = kept_of(std::move(callback));
    const std::lock_guard lock(mutex_);
    connection_callback_ = std::move(kept);
  }

  void on_spell(std::function<void(const ListenerSpell&)> callback) override {
    const Told<ListenerSpell> kept = kept_of(std::move(callback));
    std::vector<ListenerSpell> before;
    {
      const std::lock_guard lock(mutex_);
      spell_callback_ = kept;
      before = play_.recent().spells;
    }
    for (const ListenerSpell& spell : before) (*kept)(spell);
  }

  Journal close(Duration now) override {
    {
      const Change change(*this, now);
      play_.close(now);
    }
    return snapshot();
  }

 private:
  // Shared, so that one who is told is not in the way of who changes it; null: nobody wants to be.
  template <typename Record>
  using Told = std::shared_ptr<const std::function<void(const Record&)>>;
  template <typename Record>
  static Told<Record> kept_of(std::function<void(const Record&)> callback) {
    return std::make_shared<const std::function<void(const Record&)>>(std::move(callback));
  }

  // Holds the lock while something changes, and then tells who waits, here and on the wire.
  class Change {
   public:
    enum class Books { Now, Later };  // of what has ended
    Change(PlayEngine& engine, Duration now, Books books = Books::Now)
        : engine_(engine), lock_(engine.mutex_) {
      if (books == Books::Now) engine.write_down_all();
      if (now.count() > engine.last_activity_) engine.last_activity_ = now.count();
    }
    ~Change() {
      const std::vector<std::uint64_t> events = engine_.play_.take_events();
      lock_.unlock();
      engine_.changed_.notify_all();
      if (!engine_.on_event_) return;
      for (const std::uint64_t event : events) engine_.on_event_(event);
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    PlayEngine& engine_;
    std::unique_lock<std::mutex> lock_;
  };

  // An exchange that has ended and is not written down yet.
  struct Ended {
    std::uint64_t exchange = 0;
    std::uint64_t body_bytes_read = 0;
    Receipt receipt;
  };

  void write_down(Ended ended) const {
    const Exchange* record =
        play_.end(ended.exchange, ended.body_bytes_read, std::move(ended.receipt));
    // Under the lock, since a copy of every exchange costs more than all that is done with it.
    if (on_exchange_ && record != nullptr) on_exchange_(*record);
    play_.forget(ended.exchange);
  }

  void write_down_all() const {
    if (ended_.empty()) return;
    for (Ended& ended : std::exchange(ended_, {})) write_down(std::move(ended));
  }

  Log::Cut cut() const {
    const std::lock_guard lock(mutex_);
    write_down_all();
    return play_.cut();
  }

  std::shared_ptr<LiveExchange> find(std::uint64_t exchange) const {
    const std::lock_guard lock(mutex_);
    return play_.find(exchange);
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Who asks to see it has it brought up to date.
  mutable Play play_;
  mutable std::vector<Ended> ended_;
  const std::string salt_;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<Duration::rep> last_activity_ = 0;
  std::function<void(std::uint64_t)> on_event_;  // set before traffic comes
  std::function<void(const Exchange&)> on_exchange_;
  Told<Connection> connection_callback_;
  Told<ListenerSpell> spell_callback_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(const scenarios::Scenario& scenario, const RunOptions& options,
                                    WallClock wall) {
  return std::make_unique<PlayEngine>(scenario, options, std::move(wall));
}

}  // namespace mishap::server
