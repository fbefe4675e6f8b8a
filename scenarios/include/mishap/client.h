#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/source_span.h"
#include "mishap/units.h"

// How a client is run. What a place does not say comes from the place below it: a scenario's
// `client` is laid over the one of mishap.yaml. Texts may hold {url}, {free_port} and the like.
namespace mishap::scenarios {

// Words as they are executed. A text of the file that needs a shell is {"/bin/sh", "-c", text}.
using CommandLine = std::vector<std::string>;

// By what a service shows that it takes requests.
struct Ready {
  enum class Kind {
    Url,   // it answers there, with any status below 500
    Port,  // it accepts connections there, on loopback
    Log,   // a line of its stdout or stderr matches
  };
  Kind kind = Kind::Url;
  std::string text;  // the URL, the port, the pattern (see line_pattern.h)
  SourceSpan span;
};

// What makes a service act: a command, or one request.
struct Drive {
  CommandLine command;  // empty: the request
  std::string method;
  std::string url;  // http:// on loopback
  std::vector<NameValue> headers;
  std::string body;
  bool json = false;  // `body` was written as JSON
  SourceSpan span;
};

// When a service has had its say.
struct Until {
  std::optional<Duration> quiet;  // nothing came for so long; absent: when the drive has ended
};

struct StopOrder {
  std::string signal = "SIGTERM";
  Duration grace = std::chrono::seconds(10);  // then SIGKILL
};

struct Client {
  enum class Kind { Command, Service };
  std::optional<Kind> kind;
  CommandLine command;
  std::vector<NameValue> environment;
  std::optional<Ready> ready;
  std::optional<Drive> drive;
  std::optional<Until> until;
  std::optional<StopOrder> stop;
  CommandLine before;  // run ahead of each copy of each scenario, and after it
  CommandLine after;
  std::optional<Duration> ready_within;
  std::optional<Duration> kill_after;  // the driver's patience
  CommandLine replay;  // does again what a run left undone; empty: the command itself
  // What it keeps, so that it can be looked at. Files of these are of its state folder, or where a
  // pattern is relative of its working folder.
  std::vector<std::string> logs;     // shell patterns of log files: "{state}/*.log", "logs/*"
  bool json_logs = false;            // each line of its logs is one JSON object (client-tests/logs)
  std::vector<NameValue> sensitive;  // by name, what must not stand in its logs
  std::string dead_letters;          // JSON Lines in its state folder; empty: it claims none
  std::string telemetry;             // JSON in its state folder; empty: it claims none
  SourceSpan span;
};

inline constexpr Duration kReadyWithin = std::chrono::seconds(30);

// What `over` says wins; environments are merged by name.
Client laid_over(Client base, const Client& over);

// Said, or shown by keys that only a service has.
bool is_service(const Client& client);

// Why it cannot be run as it is, once all is laid over: "a service needs ..."; empty: it can.
std::string what_is_missing(const Client& client);

// A text with none of the shell's own characters is split at its blanks; another goes to a shell.
CommandLine command_of(const std::string& text);

// "SIGTERM", "SIGINT" ...: what `stop` may send.
const std::vector<std::string>& stop_signals();

}  // namespace mishap::scenarios
