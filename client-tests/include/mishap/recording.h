#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"
#include "mishap/journal.h"
#include "mishap/known.h"
#include "mishap/scenario.h"

// One run as it is stored and judged: everything a check may know. Plain values. Instants are since
// the run began, on the one clock of the process.
namespace mishap::client_tests {

enum class OutcomeKind { Succeeded, Failed, Pending };
std::string_view to_string(OutcomeKind kind);

// A line that the client wrote about an operation, stamped by the driver on arrival.
struct OutcomeLine {
  Duration at{};
  int copy = 0;
  std::string operation;  // the reference or key that went over the wire; of a read "GET /path"
  OutcomeKind outcome = OutcomeKind::Pending;
  std::string id;
  std::optional<std::int64_t> attempts;
  std::optional<double> duration_ms;
  std::string category;
  std::string error;
  std::optional<bool> cached{};        // of a read: it is what was known before
  std::optional<std::string> as_of{};  // and since when, as the client wrote it
  // Where the client keeps the input of what is not done, as it says: a file of its state folder.
  std::optional<std::string> kept{};
  std::optional<std::uint64_t>
      kept_bytes{};  // of that file when the run had ended; none: not there
};

// An entry of the client's dead letters, as it stood when the run had ended. The payload itself is
// not stored.
struct DeadLetter {
  int copy = 0;
  int run = 1;
  std::string operation;  // the reference or key that went over the wire
  std::string error;
  std::optional<std::int64_t> attempts;
  bool has_payload = false;                    // it is in the entry
  std::string payload_file;                    // or in this file of the state folder
  std::optional<std::uint64_t> payload_bytes;  // of the file; none: it is not there
};

// What the client says in its telemetry file when the run has ended.
struct Telemetry {
  int copy = 0;
  int run = 1;
  std::string trouble;                           // why it could not be read; empty: it could
  std::map<std::string, std::int64_t> counters;  // "attempts", "retries", "exhausted", "alerts"
};

enum class Stop {
  Exited,       // by itself, with exit_code
  Signalled,    // by a signal that was not ours
  Killed,       // by the driver: kill_after was over (the watchdog)
  Interrupted,  // by the driver: Ctrl-C, or the run was cancelled
  NotStarted,   // exec failed
  Stopped,      // by the driver: a service whose scenario was over
  Scripted,     // after a signal that the scenario had sent to it
};
std::string_view to_string(Stop stop);

// A socket of the client's process tree towards the run's server.
struct SocketSeen {
  Port local_port = 0;  // pairs with Connection::client_port
  Duration first_seen{};
  Duration last_seen{};
  // At every sight up to this one it waited for an answer to its connect (SYN_SENT); none: at none.
  std::optional<Duration> connecting_until{};
  // At the last sight the other side had ended it and the client had not (CLOSE_WAIT), and so it
  // was since then.
  std::optional<Duration> half_closed_since{};
};

// One look at the process tree of a copy.
struct ProcessSample {
  Duration at{};
  Duration cpu{};  // user and system, all that the tree has used so far
  std::uint64_t rss = 0;
  std::uint64_t fds = 0;
  std::uint64_t threads = 0;
  std::uint64_t sockets = 0;  // TCP, towards the run's server
  bool operator==(const ProcessSample&) const = default;
};

enum class ProcessRole {
  Command,  // ends by itself, and its exit code is its word
  Service,  // lives on until it is stopped
};
std::string_view to_string(ProcessRole role);

// Facts about one copy of the client, sampled from /proc over its whole process tree.
struct ProcessFacts {
  int copy = 0;
  int life = 1;  // of the copy: a scenario may end it and have it started again
  int run = 1;   // 2 and more: started after the run before had ended, to do what was left undone
  ProcessRole role = ProcessRole::Command;
  Duration started{};
  Duration ended{};
  std::optional<Duration> told_to_end;  // when the driver, or the scenario, began to end it
  Stop stop = Stop::Exited;
  int exit_code = 0;
  int signal = 0;
  std::uint64_t samples = 0;  // 0: nothing below was observed
  double cpu_seconds = 0;
  std::uint64_t peak_rss = 0;  // bytes
  std::uint64_t peak_fds = 0;
  std::vector<SocketSeen> sockets;
  static constexpr std::size_t kMostSamples = 512;
  std::vector<ProcessSample> series;           // of a long life every second, fourth ... look only
  std::vector<std::string> foreign_addresses;  // non-loopback peers it opened, "203.0.113.7:443"
  std::vector<Port> listening;                 // that its tree listened on, at most 16
  std::uint64_t left_behind = 0;  // processes that were still there when the client had ended
};

// What made a service act: a command, or one request to it.
struct DriveFacts {
  int copy = 0;
  std::string what;  // "npm test", "POST http://127.0.0.1:4000/orders"; secrets masked
  Duration started{};
  Duration ended{};
  Stop stop = Stop::Exited;  // of a command
  int exit_code = 0;
  int signal = 0;
  StatusCode status = 0;  // of the answer to a request; 0: none
  std::string error;      // why no answer came, or why it could not be started
  std::vector<std::string> foreign_addresses;
};
// It ended by itself with exit code 0, or was answered below 400.
bool succeeded(const DriveFacts& drive);
std::string how_it_ended(const DriveFacts& drive);  // "ended with exit code 1", "was answered 500"

// Bounded capture: head and tail are kept, the rest is counted.
struct Captured {
  int copy = 0;
  // "stdout", "stderr", "file:NAME"; "drive.stdout", "before.stderr" ...; of later lives
  // "life2.stdout".
  std::string stream;
  std::string head;
  std::string tail;  // empty while all of it fits into head
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t masked = 0;       // secrets of the client's own that were masked in head and tail
  std::uint64_t canary_hits = 0;  // MISHAP_TOKEN, or 12 characters of it, in the whole stream
  std::vector<std::string> canary_forms{};    // in which it was seen: "in clear", "as base64" ...
  std::vector<std::string> sensitive_hits{};  // names of the sensitive texts seen in the stream
  std::uint64_t unread = 0;                   // bytes of a log file that were not looked at
};

struct RuleFacts {
  std::string name;
  std::string fault;
  std::string point;
  std::string on;                  // as written
  bool called_in_control = false;  // the healthy control made such a call
  bool ambiguous = false;          // may leave the client without knowledge of an effect
  std::optional<scenarios::Count> op;
  std::optional<scenarios::Count> attempt;
  std::optional<scenarios::Count> request;
  double rate = 1.0;
};

// What a check must know of the scenario; texts for the report.
struct ScenarioFacts {
  std::string name;
  std::string pack;
  std::string summary;
  std::string stands_for;
  std::string consequence;
  std::string remedy;
  std::vector<std::string> tags;
  std::vector<RuleFacts> rules;
  std::vector<std::string> apis;  // names
  bool offers_lookup = false;     // a list or read by reference is there
  bool offers_keys = false;       // an idempotency policy is there
  scenarios::Promise promise;
  std::vector<scenarios::Expectation> expectations;
  scenarios::ExpectedCounts counts;
  std::string compare_with;
  int copies = 1;
  Duration kill_after{};
  int runs_after = 0;  // how often the client is run again when it has left something undone
};

// What the client's configuration says that it keeps, and can be held to.
struct ClientClaims {
  std::vector<std::string> logs;  // patterns of its log files
  bool json_logs = false;
  std::vector<std::string> sensitive;  // names of texts that must not be in its logs
  bool dead_letters = false;
  bool telemetry = false;
};

// What the built-in client that waits equally long was seen to do, in as many copies as the client
// and beside the same runs, just before it.
struct Calibration {
  int copies = 0;
  Duration asked{};                 // each of its waits
  std::vector<Duration> gaps = {};  // as seen on the wire, equally many of each copy, copy by copy
  bool operator==(const Calibration&) const = default;
};

// An earlier run of a scenario that settled nothing, so that it was run again.
struct Try {
  std::string why;        // it was inconclusive
  Duration wall_start{};  // since the epoch
  Duration length{};
};

struct Recording {
  static constexpr int kFormat = 1;
  std::string mishap_version;
  ScenarioFacts scenario;
  std::uint64_t seed = 0;
  bool is_control = false;
  bool companion = false;            // run only because another scenario is compared with it
  std::string control;               // name of the control recording of the suite; empty: none
  std::vector<std::string> command;  // the client's, secrets masked
  bool child = true;                 // the client was our child: process facts exist
  bool client_done = false;          // not our child: whoever ended the run says it had finished
  bool outcomes_offered = true;      // the client was given an outcome file
  Duration wall_start{};             // since the epoch, of run time 0
  Duration length{};
  server::Journal journal;
  std::vector<OutcomeLine> outcomes;           // in order of arrival, the history
  std::vector<std::string> bad_outcome_lines;  // lines that could not be read, capped, with why
  std::vector<ProcessFacts> processes;
  std::vector<DriveFacts> drives;
  std::vector<Captured> output;
  ClientClaims claims;
  std::vector<DeadLetter> dead_letters;
  std::vector<int> unread_dead_letters;  // copies that may have kept more than could be read
  std::vector<Telemetry> telemetry;
  std::string no_second_run;       // why a run that the scenario asks for did not come
  std::vector<std::string> notes;  // what the driver wants said: "outcome file truncated" ...
  std::string trouble;             // not empty: it was begun and could not be played, and why
  std::string not_run;             // not empty: the scenario was not run, and why (no such call)
  std::optional<Calibration> calibration;  // of runs with many copies
  std::vector<Try> earlier;                // tries before this one, which ran alone; oldest first
};

// What `mishap test` leaves behind: controls first, then scenarios in the order of the command.
struct Suite {
  std::string name;  // "2026-11-29T20-14-05-core"
  std::uint64_t seed = 0;
  std::string again;    // the command line that repeats it
  std::string project;  // the mishap.yaml that was used; empty: none
  int jobs = 1;
  std::string jobs_reason;  // why it is 1, where it was lowered
  Duration length{};
  std::vector<Recording> controls;
  std::vector<Recording> recordings;
  std::vector<std::string> stopped;  // lines that say why the suite ended early; empty: it did not
  std::vector<std::string> targets;  // what was asked for: packs, scenarios, files
  bool narrowed = false;             // some of it was left out: a tag, a shard, --last-failed
  std::string shard;                 // "2/4": the second of four parts; empty: the whole
  std::string day;  // "2026-11-29", the UTC day of its start, by which known findings are judged
  std::vector<scenarios::KnownFinding> known;  // the list in force
  bool strict_known = false;                   // one that is stale fails the suite
};

// A folder: suite.json, and per recording a folder with recording.json, journal.jsonl,
// outcomes.jsonl, samples.jsonl and the captured output. Reading gives an equal suite.
tl::expected<void, Error> store_suite(const Suite& suite, const std::string& folder);
tl::expected<Suite, Error> load_suite(const std::string& folder);

}  // namespace mishap::client_tests
