#include "client-tests/launch/copy_life.h"

#include <fmt/format.h>

#include <algorithm>

#include "client-tests/launch/secrets.h"
#include "client-tests/launch/spawn.h"

namespace mishap::client_tests {
namespace {

using namespace std::chrono_literals;

// Of `before` and `after`, each.
constexpr Duration kHelperPatience = 60s;
// Of an `after` that tidies up for somebody who has pressed Ctrl-C.
constexpr Duration kHurriedPatience = 5s;
// What drives a service that has died has no reason to go on.
constexpr Duration kDrivePatienceWithoutService = 5s;
// Whoever answers this late is given up by the run's own patience.
constexpr Duration kRequestPatience = 24h;
constexpr std::size_t kShownOfALine = 200;

std::string ending_text(const ProcessFacts& process) {
  if (process.stop == Stop::Exited) return fmt::format("exit code {}", process.exit_code);
  if (process.stop == Stop::Signalled) return fmt::format("signal {}", process.signal);
  return std::string(to_string(process.stop));
}

bool speaks_of_an_error(std::string_view line) {
  return line.find("rror") != std::string_view::npos ||
         line.find("xception") != std::string_view::npos;
}

// The last line that speaks of an error, else the last: some programs end with their version.
std::string telling_line(std::string_view text) {
  std::string_view last;
  std::string_view error;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) last = line;
    if (speaks_of_an_error(line)) error = line;
    at = end + 1;
  }
  return std::string((error.empty() ? last : error).substr(0, kShownOfALine));
}

// "; it said: ..." from stderr, or from stdout where that is empty.
std::string last_words(const std::vector<Captured>& output) {
  for (const char* stream : {"stderr", "stdout"}) {
    for (const auto& captured : output) {
      if (captured.stream != stream || captured.bytes == 0) continue;
      return "; it said: " + telling_line(captured.tail.empty() ? captured.head : captured.tail);
    }
  }
  return {};
}

std::string shown(const scenarios::Drive& drive, const std::vector<std::string>& secrets) {
  if (drive.command.empty()) return drive.method + " " + mask_word(drive.url, secrets);
  return fmt::format("{}", fmt::join(mask_command(drive.command, secrets), " "));
}

}  // namespace

CopyLife::CopyLife(LifeSpec spec, ProcessWatch& watch, const server::Clock& clock,
                   Duration run_began, const SignalPost* signals)
    : spec_(std::move(spec)),
      outcomes_file_(spec_.client.outcomes_file),
      signals_(signals),
      watch_(watch),
      clock_(clock),
      run_began_(run_began),
      readiness_(spec_.service ? spec_.service->ready : std::nullopt),
      life_(spec_.client.life) {
  result_.client.process.copy = spec_.client.copy;
  result_.client.process.role = spec_.client.role;
  result_.client.process.stop = Stop::NotStarted;
}

CopyLife::~CopyLife() = default;

void CopyLife::go_to(Stage stage) {
  stage_ = stage;
  stage_began_ = now();
}

std::unique_ptr<ClientCopy> CopyLife::make(const LaunchSpec& spec) const {
  return std::make_unique<ClientCopy>(spec, watch_, clock_, run_began_);
}

LaunchSpec CopyLife::helper(const scenarios::CommandLine& command) const {
  return helper_of(spec_.client, command);
}

void CopyLife::start() {
  go_to(Stage::Before);
  if (spec_.before.empty()) return start_client();
  helper_ = make(helper(spec_.before));
  helper_->start();
}

bool CopyLife::ending() const {
  return (client_ && client_->ending()) || (helper_ && helper_->ending());
}

void CopyLife::add_events(std::vector<pollfd>& events) const {
  if (client_ && !client_->done()) client_->add_events(events);
  if (helper_ && !helper_->done()) helper_->add_events(events);
}

void CopyLife::step() {
  if (client_) client_->step();
  if (helper_) helper_->step();
  go_on_with_signals();
  for (Stage before = Stage::Done; before != stage_ && !done();) {
    before = stage_;
    advance();
  }
}

void CopyLife::advance() {
  switch (stage_) {
    case Stage::Before:
      return wait_for_before();
    case Stage::Starting:
      return wait_until_ready();
    case Stage::Driving:
      return spec_.service ? wait_for_drive() : wait_for_client();
    case Stage::Ready:
    case Stage::Resting:
    case Stage::Ending:
      return wait_for_client();
    case Stage::After:
      return wait_for_after();
    case Stage::Done:
      return;
  }
}

void CopyLife::wait_for_before() {
  if (!helper_->done()) {
    if (waited() > kHelperPatience) helper_->end(Stop::Killed);
    return;
  }
  auto result = helper_->take_result();
  helper_.reset();
  const std::string words = last_words(result.output);
  take_output(result, "before.");
  if (result.not_started) {
    note_missing("before", *result.not_started);
    return begin_after();
  }
  const bool well = result.process.stop == Stop::Exited && result.process.exit_code == 0;
  if (well) return start_client();
  give_up(fmt::format("`before` ended with {}{}", ending_text(result.process), words),
          Stop::Interrupted);
}

void CopyLife::start_client() {
  if (spec_.service) {
    if (auto other = readiness_.who_is_there(); !other.empty()) {
      return give_up(std::move(other), Stop::Interrupted);
    }
  }
  start_life();
  if (client_->done()) return go_to(Stage::Ending);
  go_to(spec_.service ? Stage::Starting : Stage::Driving);
}

void CopyLife::wait_until_ready() {
  if (is_between_lives()) return;
  if (!client_) return wait_for_client();
  // Asked first: an answer on its port may come from another's who was there before.
  if (client_->exited()) return give_up({}, Stop::Interrupted);
  if (readiness_.look(*client_)) return go_to(Stage::Ready);
  if (waited() < spec_.service->ready_within) return;
  give_up(fmt::format("the service was not ready within {}: {}",
                      format_duration(spec_.service->ready_within), readiness_.what_is_missing()),
          Stop::Killed);
}

void CopyLife::act() {
  if (stage_ != Stage::Ready || (client_ && client_->exited())) return;
  go_to(Stage::Driving);
  if (spec_.service->drive) return begin_drive();
  go_to(Stage::Resting);
}

void CopyLife::begin_drive() {
  const scenarios::Drive& drive = *spec_.service->drive;
  const auto environment = make_environment(spec_.client.environment, spec_.client.unset);
  auto& facts = result_.drive.emplace();
  facts.copy = spec_.client.copy;
  facts.what = shown(drive, secrets_of(environment, spec_.client.canary));
  facts.started = now();
  if (drive.command.empty()) return begin_request(drive);
  helper_ = make(helper(drive.command));
  helper_->start();
}

void CopyLife::begin_request(const scenarios::Drive& drive) {
  HttpRequest request;
  request.method = drive.method;
  request.url = scenarios::read_local_url(drive.url).value_or(scenarios::LocalUrl{});
  request.headers = drive.headers;
  request.body = drive.body;
  if (drive.json) request.content_type = "application/json";
  call_ = std::make_unique<HttpCall>(std::move(request), kRequestPatience);
}

void CopyLife::wait_for_drive() {
  const bool is_dead = client_ && client_->exited() && !restart_after_;
  if (is_dead && !died_) died_ = now();
  if (died_ && now() - *died_ > kDrivePatienceWithoutService) {
    if (helper_) helper_->end(Stop::Interrupted);
    if (call_) call_->give_up();
  }
  if (helper_ && helper_->done()) {
    take_drive(helper_->take_result());
  } else if (call_ && call_->done()) {
    take_answer();
  } else {
    return;
  }
  go_to(Stage::Resting);
}

void CopyLife::take_drive(LaunchResult result) {
  DriveFacts& facts = *result_.drive;
  facts.ended = result.process.ended;
  facts.stop = result.process.stop;
  facts.exit_code = result.process.exit_code;
  facts.signal = result.process.signal;
  facts.foreign_addresses = result.process.foreign_addresses;
  if (result.not_started) {
    facts.error = result.not_started->message;
    note_missing("drive", *result.not_started);
  }
  take_output(result, "drive.");
  helper_.reset();
}

void CopyLife::note_missing(const std::string& what, Error error) {
  error.message = what + ": " + error.message;
  missing_ = std::move(error);
}

void CopyLife::take_answer() {
  const auto& answer = call_->answer();
  DriveFacts& facts = *result_.drive;
  facts.ended = now();
  facts.status = answer.status;
  facts.error = answer.error;
  const auto environment = make_environment(spec_.client.environment, spec_.client.unset);
  OutputCapture body(spec_.client.canary, secrets_of(environment, spec_.client.canary),
                     spec_.client.sensitive);
  body.take(answer.body);
  helper_output_.push_back(body.result(spec_.client.copy, "drive.answer"));
  call_.reset();
}

void CopyLife::take_output(LaunchResult& from, const std::string& prefix) {
  for (auto& captured : from.output) {
    captured.stream = prefix + captured.stream;
    helper_output_.push_back(std::move(captured));
  }
  for (auto& note : from.notes) helper_notes_.push_back(prefix + " " + note);
}

// Without a reason of its own the client's end is the reason, once that is known.
void CopyLife::give_up(std::string trouble, Stop why) {
  result_.trouble = trouble.empty() ? "?" : std::move(trouble);
  if (!client_) return begin_after();
  client_->end(why);
  go_to(Stage::Ending);
}

void CopyLife::stop() {
  if (stage_ != Stage::Resting) return;
  give_up_restart();
  if (client_) client_->end(Stop::Stopped, spec_.service->stop);
  go_to(Stage::Ending);
}

void CopyLife::end(Stop why) {
  if (why == Stop::Interrupted && !hurried_since_) hurried_since_ = now();
  if (stage_ == Stage::After || done()) return;
  give_up_restart();
  if (helper_) helper_->end(why);
  if (call_) call_->give_up();
  if (client_) client_->end(why);
}

void CopyLife::wait_for_client() {
  if (is_between_lives() || (client_ && !client_->done())) return;
  take_client();
  if (stage_ == Stage::Ready && result_.trouble.empty()) result_.trouble = "?";
  if (result_.trouble == "?") {
    result_.trouble =
        fmt::format("the service ended with {} before it could act{}",
                    ending_text(result_.client.process), last_words(result_.client.output));
  } else if (!result_.trouble.empty()) {
    result_.trouble += last_words(result_.client.output);
  }
  begin_after();
}

void CopyLife::begin_after() {
  go_to(Stage::After);
  if (spec_.after.empty()) return go_to(Stage::Done);
  helper_ = make(helper(spec_.after));
  helper_->start();
}

void CopyLife::wait_for_after() {
  if (!helper_->done()) {
    const Duration hurried =
        hurried_since_ ? now() - std::max(*hurried_since_, stage_began_) : Duration{};
    if (waited() > kHelperPatience || hurried > kHurriedPatience) helper_->end(Stop::Killed);
    return;
  }
  auto result = helper_->take_result();
  helper_.reset();
  const bool well = result.process.stop == Stop::Exited && result.process.exit_code == 0;
  take_output(result, "after.");
  if (!well) {
    helper_notes_.push_back(fmt::format("copy {}: `after` ended with {}", spec_.client.copy,
                                        ending_text(result.process)));
  }
  go_to(Stage::Done);
}

LifeResult CopyLife::take_result() {
  auto& client = result_.client;
  std::ranges::move(helper_output_, std::back_inserter(client.output));
  std::ranges::move(helper_notes_, std::back_inserter(client.notes));
  if (missing_) client.not_started = missing_;
  return std::move(result_);
}

}  // namespace mishap::client_tests
