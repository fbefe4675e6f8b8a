#include "client-tests/launch/client_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <random>

#include "client-tests/launch/process_table.h"
#include "client-tests/launch/secrets.h"
#include "client-tests/launch/spawn.h"

namespace mishap::client_tests {
namespace {

using std::chrono::milliseconds;

// Helpers that end when their pipe to the client closes need a moment to notice.
constexpr milliseconds kSettle{100};
const scenarios::StopOrder kQuickEnd{"SIGTERM", milliseconds(500)};
// A process that SIGKILL does not end hangs in the kernel; waiting longer would not help.
constexpr milliseconds kKillPatience{5000};
constexpr std::size_t kReadPerStep = 1024 * 1024;
constexpr std::size_t kReadAtEnd = 4 * 1024 * 1024;
constexpr int kFirstFreeDescriptor = 3;

Error system_error(std::string_view what) {
  return {ErrorCode::Environment, fmt::format("{}: {}", what, std::strerror(errno)), {}, {}};
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

// Ends above stderr, so that putting one into place in the child cannot overwrite another.
FileDescriptor moved_up(FileDescriptor file) {
  if (!file || file.get() >= kFirstFreeDescriptor) return file;
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstFreeDescriptor));
}

tl::expected<Pipe, Error> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(system_error("no pipe"));
  Pipe pipe{moved_up(FileDescriptor(ends[0])), moved_up(FileDescriptor(ends[1]))};
  if (!pipe.read || !pipe.write) return tl::unexpected(system_error("no pipe"));
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

int signal_number(const std::string& name) {
  static constexpr std::pair<std::string_view, int> kNumbers[] = {
      {"SIGTERM", SIGTERM}, {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT}, {"SIGHUP", SIGHUP},
      {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGKILL", SIGKILL}};
  for (const auto& [known, number] : kNumbers) {
    if (name == known) return number;
  }
  return SIGTERM;
}

// Not a decision of the run: it only has to differ from every other marker on the machine.
std::string make_marker() {
  std::random_device random;
  std::string marker;
  for (int i = 0; i < 4; ++i) marker += fmt::format("{:08x}", random());
  return marker;
}

std::vector<NameValue> marked(std::vector<NameValue> added, const std::string& marker) {
  added.push_back({std::string(kRunMarker), marker});
  return added;
}

}  // namespace

ClientCopy::ClientCopy(const LaunchSpec& spec, ProcessWatch& watch, const server::Clock& clock,
                       Duration run_began)
    : spec_(spec),
      watch_(watch),
      clock_(clock),
      run_began_(run_began),
      environment_(make_environment(marked(spec.environment, make_marker()), spec.unset)),
      secrets_(secrets_of(environment_, spec.canary, spec.command)),
      outcomes_(spec.outcomes_file, OutcomeLines(spec.copy, secrets_, spec.canary, spec.sensitive),
                [this] { return now(); }),
      logs_(spec.logs, spec.canary, secrets_, spec.sensitive) {
  for (const char* name : {"stdout", "stderr"}) {
    streams_.push_back(
        {name, FileDescriptor(), OutputCapture(spec.canary, secrets_, spec.sensitive), {}});
    if (spec.ready_line) streams_.back().ready_line.emplace(*spec.ready_line);
  }
  result_.process.copy = spec.copy;
  result_.process.life = spec.life;
  result_.process.run = spec.run;
  result_.process.role = spec.role;
}

ClientCopy::~ClientCopy() {
  if (phase_ == Phase::Done) return;
  go_to(Phase::Killing);
  while (phase_ != Phase::Done) {
    go_on_ending();
    ::poll(nullptr, 0, 1);
  }
}

bool ClientCopy::start() {
  result_.process.started = now();
  const auto started = try_start();
  if (started) return true;
  result_.process.stop = Stop::NotStarted;
  result_.process.ended = now();
  result_.notes.push_back(started.error().message);
  result_.not_started = started.error();
  for (auto& stream : streams_) stream.pipe.reset();
  outcomes_.finish();
  return false;
}

tl::expected<void, Error> ClientCopy::try_start() {
  const std::string name = spec_.command.empty() ? std::string() : spec_.command.front();
  auto program = find_program(name, environment_, spec_.working_folder);
  if (!program) return tl::unexpected(program.error());
  if (auto created = outcomes_.create(); !created) return tl::unexpected(created.error());
  logs_.begin();
  auto out = make_pipe();
  if (!out) return tl::unexpected(out.error());
  auto err = make_pipe();
  if (!err) return tl::unexpected(err.error());
  const SpawnSpec child{*program,         spec_.command,   environment_, spec_.working_folder,
                        out->write.get(), err->write.get()};
  const ProcessWatch::Client client{&clock_, run_began_, spec_.server_ports,
                                    value_of(environment_, kRunMarker)};
  result_.process.started = now();
  const auto started = watch_.add(client, [&] { return spawn(child); });
  if (!started) return tl::unexpected(started.error());
  id_ = started->id;
  pid_ = started->pid;
  process_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  streams_[0].pipe = std::move(out->read);
  streams_[1].pipe = std::move(err->read);
  go_to(Phase::Running);
  return {};
}

void ClientCopy::add_events(std::vector<pollfd>& events) const {
  if (!exited_ && process_) events.push_back({process_.get(), POLLIN, 0});
  for (const auto& stream : streams_) {
    if (stream.pipe) events.push_back({stream.pipe.get(), POLLIN, 0});
  }
}

void ClientCopy::step() {
  if (done()) return;
  for (auto& stream : streams_) read_output(stream, kReadPerStep);
  outcomes_.read_new();
  if (!exited_ && has_exited()) note_exit();
  if (ending()) go_on_ending();
}

// The status is left where it is: an unreaped child keeps its number from being used again.
bool ClientCopy::has_exited() const {
  siginfo_t info{};
  const int options = WEXITED | WNOHANG | WNOWAIT;
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, options) == 0 && info.si_pid == pid_;
}

void ClientCopy::note_exit() {
  exited_ = true;
  result_.process.ended = now();
  if (phase_ == Phase::Running) go_to(Phase::Settling);
}

void ClientCopy::read_output(Stream& stream, std::size_t at_most) {
  std::array<char, 64 * 1024> chunk;
  for (std::size_t total = 0; stream.pipe && total < at_most;) {
    const ssize_t got = ::read(stream.pipe.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      stream.pipe.reset();
      return;
    }
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    stream.capture.take(bytes);
    if (stream.ready_line) stream.ready_line->take(bytes);
    total += static_cast<std::size_t>(got);
  }
}

void ClientCopy::go_to(Phase phase) {
  phase_ = phase;
  phase_began_ = now();
}

bool ClientCopy::saw_ready_line() const {
  return std::ranges::any_of(streams_, [](const Stream& stream) {
    return stream.ready_line && stream.ready_line->seen();
  });
}

void ClientCopy::end(Stop why) {
  end(why, kQuickEnd);
}

void ClientCopy::end(Stop why, const scenarios::StopOrder& order) {
  if (phase_ == Phase::Terminating) grace_ = std::min(grace_, order.grace);
  if (phase_ != Phase::Running) return;
  if (has_exited()) {
    note_exit();
    return;
  }
  result_.process.stop = why;
  result_.process.told_to_end = now();
  grace_ = order.grace;
  signal_all(watch_.living(id_), signal_number(order.signal));
  go_to(Phase::Terminating);
}

// A signal that can be caught asks for an end; when and whether it comes is the client's doing.
void ClientCopy::signal(const std::string& name) {
  if (phase_ != Phase::Running) return;
  if (!result_.process.told_to_end) result_.process.told_to_end = now();
  result_.process.stop = Stop::Scripted;
  signal_all(watch_.living(id_), signal_number(name));
  if (name == "SIGKILL") go_to(Phase::Killing);
}

void ClientCopy::go_on_ending() {
  if (!exited_ && has_exited()) note_exit();
  const auto living = watch_.living(id_);
  const Duration waited = now() - phase_began_;
  if (exited_ && living.processes.empty() && (living.settled || waited >= kSettle)) {
    finish();
    return;
  }
  switch (phase_) {
    case Phase::Settling:
      if (waited < kSettle) return;
      result_.process.left_behind = living.processes.size();
      grace_ = kQuickEnd.grace;
      signal_all(living, SIGTERM);
      go_to(Phase::Terminating);
      return;
    case Phase::Terminating:
      if (waited < grace_) return;
      note_ignored_signal();
      go_to(Phase::Killing);
      return;
    case Phase::Killing:
      signal_all(living, SIGKILL);
      if (waited < kKillPatience) return;
      result_.notes.push_back(fmt::format("copy {}: {} processes could not be ended", spec_.copy,
                                          living.processes.size()));
      finish();
      return;
    case Phase::Running:
    case Phase::Done:
      return;
  }
}

// A deployment would wait as long, then lose what the service had in hand.
void ClientCopy::note_ignored_signal() {
  if (result_.process.stop != Stop::Stopped || exited_) return;
  result_.notes.push_back(
      fmt::format("copy {}: the service did not end within {} of its stop signal and was killed",
                  spec_.copy, format_duration(grace_)));
}

void ClientCopy::signal_all(const ProcessWatch::Living& living, int signal) {
  for (const auto& process : living.processes) send_signal(process, signal);
}

void ClientCopy::finish() {
  for (auto& stream : streams_) {
    read_output(stream, kReadAtEnd);
    if (!stream.pipe) continue;
    result_.notes.push_back(
        fmt::format("copy {}: something outside of the client's processes still holds its {}",
                    spec_.copy, stream.name));
    stream.pipe.reset();
  }
  outcomes_.finish();
  log_output_ = logs_.captured(spec_.copy, result_.notes);
  auto seen = watch_.remove(id_);
  ProcessFacts& facts = result_.process;
  if (seen.status_known) note_status(seen.status);
  facts.samples = seen.samples;
  facts.cpu_seconds = seen.cpu_seconds;
  facts.peak_rss = seen.peak_rss;
  facts.peak_fds = seen.peak_fds;
  facts.sockets = std::move(seen.sockets);
  facts.series = std::move(seen.series);
  facts.foreign_addresses = std::move(seen.foreign_addresses);
  facts.listening = std::move(seen.listening);
  result_.notes.insert(result_.notes.end(), seen.notes.begin(), seen.notes.end());
  process_.reset();
  phase_ = Phase::Done;
}

void ClientCopy::note_status(int status) {
  ProcessFacts& facts = result_.process;
  const bool by_itself = facts.stop == Stop::Exited;
  if (WIFSIGNALED(status)) {
    facts.signal = WTERMSIG(status);
    if (by_itself) facts.stop = Stop::Signalled;
  } else {
    facts.exit_code = WEXITSTATUS(status);
  }
}

LaunchResult ClientCopy::take_result() {
  for (const auto& stream : streams_) {
    result_.output.push_back(stream.capture.result(spec_.copy, stream.name));
  }
  std::ranges::move(log_output_, std::back_inserter(result_.output));
  auto& lines = outcomes_.lines();
  result_.outcomes = std::move(lines.outcomes);
  result_.bad_outcome_lines = std::move(lines.bad_lines);
  result_.notes.insert(result_.notes.end(), lines.notes.begin(), lines.notes.end());
  return std::move(result_);
}

}  // namespace mishap::client_tests
