#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mishap/recording.h>

#include "client-tests/checks/check.h"

// A fluent maker of Recordings for tests: the journal that a run would have left, told in the words
// of a test. Instants are since the run began. Every attempt gets a connection of its own unless
// `on` says otherwise. Handles hold numbers, not pointers, and may be kept; plain references that
// are given back are good until the next of their kind is made.
//
//   RecordingBuilder r("response-lost");
//   auto booking = r.create("ref-1").key("k1");
//   booking.attempt(0ms).effect().fired("lost").lost_by_reset(4ms);
//   booking.attempt(541ms).effect().answered(201, 543ms);
//   r.outcome(550ms, "ref-1", OutcomeKind::Succeeded);
//   r.process(0ms, 600ms, 0);
//   const History history = make_history(r.recording());
namespace mishap::client_tests {

class RecordingBuilder;

// One exchange. Until an ending is told it is Open with nothing written.
class ExchangeBuilder {
 public:
  ExchangeBuilder(RecordingBuilder& recording, std::uint64_t number)
      : recording_(&recording), number_(number) {}

  // The request.
  ExchangeBuilder& key(const std::string& key);
  ExchangeBuilder& content(const std::string& hash);  // content_hash and body_hash
  ExchangeBuilder& role(server::Role role);
  ExchangeBuilder& incomplete();                  // the request never came whole
  ExchangeBuilder& on(std::uint64_t connection);  // an earlier connection, as its next request
  ExchangeBuilder& overlapping();
  ExchangeBuilder& looked_up(std::vector<std::uint64_t> operations, bool found);

  // What it did. An effect is applied 1 ms after the first byte unless told otherwise; ids are made
  // up ("bk_1") where none is given.
  ExchangeBuilder& effect(const std::string& id = "");
  ExchangeBuilder& effect_at(Duration at, const std::string& id = "");
  ExchangeBuilder& effect_kind(server::EffectKind kind);  // of the last effect

  // Rules that met it.
  ExchangeBuilder& fired(const std::string& rule, const std::string& fault = "");
  ExchangeBuilder& undelivered(const std::string& rule, const std::string& shortfall);

  // The answer, complete and in one write at `at`. `answered` is what the well vendor says,
  // `failed_with` a status that a rule made, `spoiled` a body that is not the vendor's.
  ExchangeBuilder& answered(StatusCode status, Duration at);
  ExchangeBuilder& failed_with(StatusCode status, Duration at);
  ExchangeBuilder& spoiled(StatusCode status, Duration at);
  ExchangeBuilder& header(const std::string& name, const std::string& value);  // of the answer
  ExchangeBuilder& replayed();
  ExchangeBuilder& dribbled_from(Duration first_write);  // the first of the answer's writes

  // Of a batch: what each item is told by the well vendor; items count from 1. What is told a 2xx
  // took effect 1 ms after the first byte, unless it is a stored answer.
  ExchangeBuilder& told(const std::vector<StatusCode>& statuses, Duration at,
                        const std::vector<std::size_t>& replayed = {});
  ExchangeBuilder& took_effect(std::size_t item);
  ExchangeBuilder& by_rule(std::size_t item);  // a rule made what it was told

  // The end without (the rest of) an answer.
  ExchangeBuilder& lost_by_reset(Duration at);
  ExchangeBuilder& lost_by_close(Duration at);
  ExchangeBuilder& cut(StatusCode status, Duration last_write, Duration ended,
                       server::Ending ending = server::Ending::Closed);  // part of the body
  ExchangeBuilder& stalled();                                            // silent; nobody left yet
  ExchangeBuilder& left(Duration at, server::Departure how = server::Departure::Fin);
  ExchangeBuilder& lag(Duration lag);

  std::uint64_t number() const { return number_; }
  std::uint64_t connection() const;
  server::Exchange& raw();  // valid until the next exchange is made

 private:
  RecordingBuilder* recording_;
  std::uint64_t number_;
};

// One operation: what its attempts have in common.
class OperationBuilder {
 public:
  OperationBuilder(RecordingBuilder& recording, std::uint64_t number, std::uint64_t ordinal)
      : recording_(&recording), number_(number), ordinal_(ordinal) {}

  OperationBuilder& key(const std::string& key);
  OperationBuilder& lane(int lane);
  OperationBuilder& reference(const std::string& reference);

  server::BatchItem item();  // its next attempt, in a batch
  ExchangeBuilder attempt(Duration first_byte);
  ExchangeBuilder resend(Duration first_byte);  // by the transport
  ExchangeBuilder poll(Duration first_byte);    // equal, again, after success: a new operation

  std::uint64_t number() const { return number_; }

 private:
  friend class RecordingBuilder;
  server::Identity next_identity();

  RecordingBuilder* recording_;
  std::uint64_t number_;
  std::uint64_t ordinal_;
  std::string method_ = "POST";
  std::string path_ = "/v1/bookings";
  std::string reference_;
  std::string key_;
  int lane_ = 0;
  std::uint64_t attempts_ = 0;
};

class RecordingBuilder {
 public:
  explicit RecordingBuilder(const std::string& scenario);
  // Handles point back to their maker.
  RecordingBuilder(const RecordingBuilder&) = delete;
  RecordingBuilder& operator=(const RecordingBuilder&) = delete;

  OperationBuilder create(const std::string& reference = "");  // POST /v1/bookings
  OperationBuilder read(const std::string& path = "/v1/products");
  OperationBuilder operation(const std::string& method, const std::string& path);
  // POST /v1/bookings/batch with an attempt of each.
  ExchangeBuilder batch(Duration first_byte, std::initializer_list<OperationBuilder*> items);
  // A GET that looks for what `operations` made; an operation of its own.
  ExchangeBuilder lookup(Duration first_byte, std::vector<std::uint64_t> operations, bool found);
  ExchangeBuilder unmatched(Duration first_byte, const std::string& method,
                            const std::string& path);

  // A connection on which TLS was spoken, with this certificate, the handshake not finished and no
  // request come yet; `on` its number to go on with it. Good until the next connection is made.
  server::Connection& handshake(Duration accepted, const std::string& certificate, int lane = 0);

  // Connections refused between the two instants, and connects that were turned away, at the
  // instants of their sockets' ends.
  server::ListenerSpell& refused(Duration began, std::optional<Duration> ended,
                                 std::initializer_list<Duration> turned_away, int lane = 0);

  RecordingBuilder& control();  // this is the healthy run
  RuleFacts& rule(const std::string& name, const std::string& fault);
  RecordingBuilder& expect(const std::string& check, scenarios::Level level,
                           const std::string& reason = "");
  OutcomeLine& outcome(Duration at, const std::string& operation, OutcomeKind kind, int copy = 0);
  RecordingBuilder& no_outcomes_offered();
  // One copy of the client that ended by itself; change what is given back for other ends.
  ProcessFacts& process(Duration started, Duration ended, int exit_code, int copy = 0);
  RecordingBuilder& length(Duration length);
  scenarios::Promise& promise() { return recording_.scenario.promise; }

  Recording& recording() { return recording_; }
  const Recording& recording() const { return recording_; }

 private:
  friend class ExchangeBuilder;
  friend class OperationBuilder;
  server::Exchange& add_exchange(Duration first_byte);
  server::Exchange& exchange(std::uint64_t number);
  server::Connection& connection(std::uint64_t number);
  void seen(Duration instant);  // a run lasts at least until the last thing told

  Recording recording_;
  std::uint64_t operations_ = 0;
};

// The case a check is given: recording, its history and (where told) the healthy run's.
struct CaseOf {
  explicit CaseOf(const RecordingBuilder& run, const RecordingBuilder* control_run = nullptr,
                  const RecordingBuilder* comparison_run = nullptr);
  CaseOf(const CaseOf&) = delete;
  CaseOf& operator=(const CaseOf&) = delete;

  std::optional<Recording> first;  // where the client was run again
  History history;
  History whole_history;
  History control_history;
  History comparison_history;
  Case value;
};

// What a check finds with its default parameters, or with `parameters` (a Map node).
Finding evaluate(const CheckDescriptor& check, const Case& value, const Node& parameters = {});

}  // namespace mishap::client_tests
