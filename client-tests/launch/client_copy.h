#pragma once

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "client-tests/launch/file_descriptor.h"
#include "client-tests/launch/launcher.h"
#include "client-tests/launch/line_watch.h"
#include "client-tests/launch/outcome_file.h"
#include "client-tests/launch/output_capture.h"
#include "client-tests/launch/probe_linux.h"

namespace mishap::client_tests {

// One copy of a client from its start until nothing is left of it. Driven by run_clients: polled
// for events, then told to take a step. Belongs to one thread.
class ClientCopy {
 public:
  ClientCopy(const LaunchSpec& spec, ProcessWatch& watch, const server::Clock& clock,
             Duration run_began);
  ~ClientCopy();  // ends what still runs, without grace
  ClientCopy(const ClientCopy&) = delete;
  ClientCopy& operator=(const ClientCopy&) = delete;

  // False: it could not be started, result() says why.
  bool start();

  bool done() const { return phase_ == Phase::Done; }

  // Waiting for processes to go: worth a look every few milliseconds.
  bool ending() const { return phase_ != Phase::Running && phase_ != Phase::Done; }

  bool exited() const { return exited_; }  // perhaps not its helpers
  bool saw_ready_line() const;

  // SIGTERM to the whole tree, then after a grace SIGKILL. Nothing happens to one that has ended by
  // itself; one that is being ended already may have its grace cut short.
  void end(Stop why);
  void end(Stop why, const scenarios::StopOrder& order);

  // By the scenario, to the whole tree. Nothing happens to one that is being ended already.
  void signal(const std::string& name);

  void add_events(std::vector<pollfd>& events) const;

  // Reads what came, looks whether the client has ended, and goes on with ending it.
  void step();

  const std::string& outcomes_path() const { return outcomes_.path(); }

  // Once done.
  LaunchResult take_result();

 private:
  enum class Phase { Running, Settling, Terminating, Killing, Done };
  struct Stream {
    std::string name;
    FileDescriptor pipe;
    OutputCapture capture;
    std::optional<LineWatch> ready_line;
  };

  Duration now() const { return clock_.now() - run_began_; }
  tl::expected<void, Error> try_start();
  bool has_exited() const;
  void read_output(Stream& stream, std::size_t at_most);
  void note_exit();
  void go_to(Phase phase);
  void go_on_ending();
  void note_ignored_signal();
  void signal_all(const ProcessWatch::Living& living, int signal);
  void finish();
  void note_status(int status);

  LaunchSpec spec_;
  ProcessWatch& watch_;
  const server::Clock& clock_;
  Duration run_began_;
  std::vector<NameValue> environment_;
  std::vector<std::string> secrets_;
  OutcomeFile outcomes_;
  LogFiles logs_;
  std::vector<Stream> streams_;
  std::vector<Captured> log_output_;  // once done
  LaunchResult result_;
  Phase phase_ = Phase::Done;
  Duration phase_began_{};
  Duration grace_{};
  ProcessWatch::ClientId id_ = 0;
  pid_t pid_ = 0;
  FileDescriptor process_;  // pidfd; none on kernels without
  bool exited_ = false;
};

}  // namespace mishap::client_tests
