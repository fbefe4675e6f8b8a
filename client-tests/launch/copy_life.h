#pragma once

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "client-tests/launch/client_copy.h"
#include "client-tests/launch/http_call.h"
#include "client-tests/launch/readiness.h"

namespace mishap::client_tests {

// One copy of a client with all that is run around it, from `before` to `after`. Driven like a
// ClientCopy, which it is made of: one for each process it starts. Belongs to one thread.
class CopyLife {
 public:
  // `signals` is told what became of those that are for this copy; null: there are none.
  CopyLife(LifeSpec spec, ProcessWatch& watch, const server::Clock& clock, Duration run_began,
           const SignalPost* signals);
  ~CopyLife();

  void start();

  bool done() const { return stage_ == Stage::Done; }
  bool failed() const { return !result_.trouble.empty() || missing_ || result_.client.not_started; }

  // A command is started, a service waits for act() or is past it, or it is at its end.
  bool is_ready() const { return stage_ >= Stage::Ready; }
  // Nothing is left but a service that nothing drives: it is there, and not on its way back.
  bool resting() const { return stage_ == Stage::Resting && !is_between_lives() && !comes_back_; }
  bool ended() const { return stage_ > Stage::Resting; }
  bool ending() const;  // worth a look every few milliseconds
  bool asking() const { return call_ || stage_ == Stage::Starting; }  // every few more

  // All copies are ready.
  void act();

  void end(Stop why);  // whatever runs, but for `after`
  void stop();         // a service that rests
  void signal(const server::SignalOrder& order);

  void add_events(std::vector<pollfd>& events) const;
  void step();

  // Of the life that goes on.
  const std::string& outcomes_path() const { return outcomes_file_; }

  LifeResult take_result();

 private:
  // In this order; a command goes from Before to Driving, where it drives itself.
  enum class Stage { Before, Starting, Ready, Driving, Resting, Ending, After, Done };

  Duration now() const { return clock_.now() - run_began_; }
  void go_to(Stage stage);
  Duration waited() const { return now() - stage_began_; }
  std::unique_ptr<ClientCopy> make(const LaunchSpec& spec) const;
  LaunchSpec helper(const scenarios::CommandLine& command) const;
  void advance();
  void wait_for_before();
  void start_client();
  void wait_until_ready();
  void wait_for_drive();
  void drive_ended();
  void wait_for_client();
  void wait_for_after();
  void start_life();
  void go_on_with_signals();
  void end_life();
  void look_whether_it_is_back();
  void give_up_restart();
  LaunchResult result_of_life();
  void take_client();
  bool is_between_lives() const { return restart_at_.has_value(); }
  void begin_drive();
  void begin_request(const scenarios::Drive& drive);
  void take_answer();
  void take_drive(LaunchResult result);
  void take_output(LaunchResult& from, const std::string& prefix);
  void note_missing(const std::string& what, Error error);
  void give_up(std::string trouble, Stop why);
  void begin_after();

  LifeSpec spec_;
  std::string outcomes_file_;
  const SignalPost* signals_;
  ProcessWatch& watch_;
  const server::Clock& clock_;
  Duration run_began_;
  Readiness readiness_;
  std::unique_ptr<ClientCopy> client_;
  std::unique_ptr<ClientCopy> helper_;  // before, drive, after: one at a time
  std::unique_ptr<HttpCall> call_;
  LifeResult result_;
  std::vector<Captured> helper_output_;
  std::vector<std::string> helper_notes_;
  std::optional<Error> missing_;  // the program of a helper
  Stage stage_ = Stage::Before;
  Duration stage_began_{};
  int life_;
  struct Killed {
    std::uint64_t order = 0;
    Duration at{};
  };
  std::vector<Killed> killed_;             // orders that are done when the client is gone
  std::optional<Duration> restart_after_;  // the end of this life
  std::optional<Duration> comes_back_;     // a service, since then; it has not been ready again yet
  std::optional<Duration> restart_at_;     // that life has ended
  std::optional<Duration> died_;           // the service ended by itself while it was driven
  std::optional<Duration> hurried_since_;  // somebody wants it to be over
};

}  // namespace mishap::client_tests
