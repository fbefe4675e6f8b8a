#include "scenarios/parser/tables.h"

#include <fmt/format.h>

namespace mishap::scenarios {
namespace {

// A test holds it to the table of the profiles.
constexpr std::string_view kProfileNames = "b2b|interactive|background|strict";

// clang-format off
constexpr KeySpec kScenario[] = {
    {"mishap", Shape::VersionNumber, "number", "required", "1", "Version of the language."},
    {"scenario", Shape::Name, "name", "required", "response-lost", "Name of the scenario: letters, digits, `-`, `_`, `.`."},
    {"summary", Shape::Text, "text", "", "The answer never arrives.", "What happens, in one line."},
    {"stands_for", Shape::Text, "text", "", "A proxy closes after the vendor committed.", "What causes it in production."},
    {"consequence", Shape::Text, "text", "", "The customer is charged twice.", "What a client that gets it wrong does to people."},
    {"remedy", Shape::Text, "text", "", "Send one key with every attempt.", "What to change in such a client."},
    {"tags", Shape::Texts, "list of names", "", "[create, ambiguous]", "For `--tag`."},
    {"params", Shape::ParamsMap, "map", "", "{create: 'POST /v1/bookings'}", "Defaults of the `$name`s that `--set name=value` replaces. A value that is just `$name` stands for it; `$$` at the start of a value is a dollar sign."},
    {"api", Shape::ApiForm, "api", "required, or `apis`", "booking", "The vendor: a shipped name, `./file.yaml` (from this file's folder), or a map (the keys of an api)."},
    {"apis", Shape::ApisMap, "map of apis", "", "{pay: booking, crm: ./crm.yaml}", "Several vendors at once, by name."},
    {"faults", Shape::RuleList, "list of rules", "none", "see below", "What goes wrong. At each point the first rule that applies does."},
    {"timeline", Shape::TimelineForm, "list of phases, or map", "", "[{phase: well, for: 5s}, {phase: down, for: 20s}]", "Named spans of the scenario's clock, which starts with the first connection. A map where it repeats."},
    {"client", Shape::ClientMap, "map", "", "{copies: 3}", "How the client is run."},
    {"then", Shape::ThenMap, "map", "", "{times: 2}", "The client is run again once it has ended and left something undone: with its state folder, the same vendor and no faults."},
    {"promise", Shape::PromiseForm, "profile or map", "", "{max_attempts: 5}", "What the client claims; it is then judged by it. The name of a profile stands for its numbers."},
    {"expect", Shape::ExpectMap, "map", "", "{no_duplicate_effects: required}", "Checks to add, tune or switch off, and counts of your own."},
    {"compare_with", Shape::Name, "name", "", "unavailable-once", "A scenario of the same pack that shows the client's own habit."},
};

constexpr KeySpec kApi[] = {
    {"mishap", Shape::VersionNumber, "number", "required in a file", "1", "Version of the language."},
    {"api", Shape::Name, "name", "the file's name", "booking", "Name of the api."},
    {"from", Shape::ApiBase, "name or path", "", "booking", "Another api to begin with. Maps are merged, lists and single values replace."},
    {"resources", Shape::ResourcesMap, "map of resources", "", "{bookings: {path: /v1/bookings}}", "Stateful collections by name."},
    {"routes", Shape::RouteList, "list of routes", "", "[{on: GET /v1/ping, json: {ok: true}}]", "Stateless answers; the first that matches, before resources."},
    {"any_path", Shape::YesNo, "true or false", "false", "true", "Every path is a collection."},
    {"safe_posts", Shape::PathPatterns, "list of paths", "", "[/v1/search]", "Paths whose POST only reads."},
    {"references", Shape::Texts, "list of texts", "", "[reference, external_id]", "Members of a body that outcome lines may name an operation by, where `any_path` knows no reference. They never join requests."},
    {"operation", Shape::OperationMap, "map", "", "{from: header X-Request-Ref}", "What names an operation, where it is neither the reference nor the key."},
    {"auth", Shape::AuthMap, "map", "", "{bearer: required}", "Whether the client must show its token."},
    {"limits", Shape::LimitsMap, "map", "", "{body: 1MiB}", "How much the vendor reads."},
    {"tls", Shape::TlsForm, "true, false or map", "false", "{names: [api.vendor.com]}", "Speaks HTTPS, with a certificate of the run's own authority, which the client finds in `MISHAP_CA`."},
    {"intercept", Shape::Texts, "list of hosts", "", "[api.vendor.com]", "Stands in for these hosts (any port, or `host:8443`) to clients that are sent to the run's proxy, over TLS with the run's own authority."},
    {"upstream", Shape::UpstreamForm, "URL or map", "", "https://sandbox.example.com", "A real API gives the answers, and faults are laid over them. Where `from` is not said, all else is that of `any`."},
};

constexpr KeySpec kResource[] = {
    {"path", Shape::PathPattern, "path", "`/` and the name", "/v1/bookings", "Of the collection; an item is one segment below it."},
    {"id_prefix", Shape::Text, "text", "", "bk_", "Ids are the prefix and a number from 1."},
    {"id_field", Shape::Text, "text", "id", "booking_id", "Member of an item that holds its id."},
    {"reference", Shape::Text, "text", "", "reference", "Member of a body that the client names the thing by."},
    {"unique_reference", Shape::YesNo, "true or false", "false", "true", "A second create with the same reference is a 409."},
    {"verbs", Shape::VerbList, "list of verbs", "all", "[create, read, list]", "Of `create`, `read`, `list`, `replace`, `patch`, `delete`."},
    {"schema", Shape::SchemaMap, "JSON Schema", "", "{required: [reference]}", "What a body must look like: `type`, `required`, `properties`, `enum`, `minLength`."},
    {"idempotency", Shape::IdempotencyForm, "map or `off`", "accepted", "{required: true}", "What is done with the idempotency key."},
    {"batch", Shape::BatchForm, "true, false or map", "false", "{status: 200}", "Creates, many in one POST; each item is an operation of its own and has its own result."},
    {"items", Shape::ItemList, "list of maps", "", "[{id: p_1, name: Boat}]", "What is there from the start."},
};

constexpr KeySpec kIdempotency[] = {
    {"header", Shape::Text, "field name", "Idempotency-Key", "X-Idempotency-Key", "Field that carries the key."},
    {"required", Shape::YesNo, "true or false", "false", "true", "A create without a key is a 400."},
    {"replay", Shape::Word, "word", "all", "success", "Which finished answers are stored and given again.", "all|success|none"},
    {"lifetime", Shape::Time, "duration", "24h", "10m", "How long a key is remembered."},
};

constexpr KeySpec kBatch[] = {
    {"path", Shape::PathPattern, "path", "the resource's and `/batch`", "/v1/bookings/batch", "Where it is posted to."},
    {"items", Shape::Text, "text", "items", "bookings", "Member of the request that is the list of items, at most 1000."},
    {"results", Shape::Text, "text", "results", "responses", "Member of the answer with a result for each item, in their order: `{status: 201, item: {..}}` or `{status: 422, error: {..}}`."},
    {"key", Shape::Text, "text", "idempotency_key", "request_id", "Member of an item that is its idempotency key and not stored; it counts among the keys of single creates."},
    {"status", Shape::Status, "200 or 207", "207", "200", "Of the answer, whatever became of the items."},
};

constexpr KeySpec kRoute[] = {
    {"on", Shape::MatcherForm, "matcher", "required", "GET /v1/ping", "Which requests it answers."},
    {"status", Shape::Status, "status", "200", "204", "Status of the answer."},
    {"headers", Shape::FieldMap, "map of fields", "", "{X-Version: '7'}", "Fields of the answer; a list of texts repeats a field."},
    {"body", Shape::Text, "text", "", "pong", "The body as it is."},
    {"json", Shape::Json, "anything", "", "{ok: true}", "The body as JSON; not together with `body`."},
};

constexpr KeySpec kOperation[] = {
    {"from", Shape::Text, "text", "required", "header X-Request-Ref", "`header NAME`, or `body NAME` for a top-level member."},
};

constexpr KeySpec kAuth[] = {
    {"bearer", Shape::Word, "word", "accepted", "required", "`required`: 401 without `Authorization: Bearer` and the run's token.", "required|accepted"},
};

constexpr KeySpec kLimits[] = {
    {"target", Shape::Size, "size", "8KiB", "2KiB", "Of the request target; above: 414."},
    {"head", Shape::Size, "size", "64KiB", "16KiB", "Of the request head; above: 431."},
    {"body", Shape::Size, "size", "16MiB", "1MiB", "Of the request body; above: 413."},
    {"answer", Shape::Size, "size", "16MiB", "1MiB", "Of the body of an upstream's answer; above: 502."},
};

constexpr KeySpec kRule[] = {
    {"name", Shape::Text, "text", "made from its content", "lost answer", "Names the rule in reports; random draws hang on it."},
    {"on", Shape::MatcherForm, "matcher", "any", "POST /v1/bookings", "Which requests."},
    {"when", Shape::WhenMap, "map", "always", "{attempt: 1}", "Which of them."},
    {"fault", Shape::FaultForm, "name or map", "required, or `do`", "{kind: latency, for: 2s}", "A fault of the catalogue; a map holds its `kind`, its parameters, and `at`."},
    {"at", Shape::PointName, "point", "the fault's own", "response_body", "Point in the life of the request."},
    {"do", Shape::ActionName, "action", "", "reset", "The general form, with `at`; its parameters stand beside it: `{at: response_body, after: 37B, do: reset}`."},
};

constexpr KeySpec kMatcher[] = {
    {"api", Shape::Name, "name", "whichever", "pay", "Which of several apis."},
    {"method", Shape::Text, "method", "*", "POST", "Upper case, or `*`."},
    {"path", Shape::PathPattern, "path", "*", "/v1/bookings/:id", "`:name` is one segment, `/*` at the end the rest."},
    {"class", Shape::Word, "word", "both", "unsafe", "`safe` only reads, `unsafe` changes something.", "safe|unsafe"},
    {"header", Shape::TextMap, "map of texts", "", "{X-Tenant: blue}", "All these fields with these values."},
    {"query", Shape::TextMap, "map of texts", "", "{page: '2'}", "All these query parameters."},
    {"body", Shape::TextMap, "map of texts", "", "{reference: r-1}", "All these top-level members of the JSON body."},
};

constexpr KeySpec kWhen[] = {
    {"op", Shape::Count, "count", "", "1..3", "Operations of a client copy among those that `on` means, from 1."},
    {"attempt", Shape::Count, "count", "", "1", "Attempts of an operation, from 1."},
    {"request", Shape::Count, "count", "", "every 3", "Requests that `on` met, from 1."},
    {"connection", Shape::Count, "count", "", "1", "Connections of a client copy, from 1."},
    {"request_on_connection", Shape::Count, "count", "", "2..", "Requests on one connection, from 1."},
    {"copy", Shape::Count, "count", "", "0", "Client copies, from 0."},
    {"during", Shape::DuringForm, "phase or span", "", "10s..40s", "A phase of the timeline, or a span of the scenario's clock."},
    {"rate", Shape::Rate, "share, or two", "100%", "30%", "How much of what is left, drawn per request from the seed. `0%..80%` rises evenly over the span of `during`, which it needs."},
};

constexpr KeySpec kTimeline[] = {
    {"phases", Shape::PhaseList, "list of phases", "required", "[{phase: up, for: 2s}, {phase: down, for: 1s}]", "The spans, one behind the other."},
    {"repeat", Shape::YesNo, "true or false", "false", "true", "Behind the last phase the first begins again, and so on: flapping."},
};

constexpr KeySpec kPhase[] = {
    {"phase", Shape::Name, "name", "required", "down", "For `during`."},
    {"for", Shape::Time, "duration", "required", "20s", "How long it lasts."},
};

constexpr KeySpec kClient[] = {
    {"copies", Shape::CopiesForm, "number or map", "1", "3", "How many clients run side by side."},
    {"kill_after", Shape::Time, "duration", "the driver's own", "40s", "How long the driver waits before it ends the client."},
    {"kind", Shape::Word, "word", "command", "service", "A `command` ends by itself; a `service` lives on and is driven.", "command|service"},
    {"command", Shape::CommandForm, "words or text", "the command line's", "[node, server.js]", "How it is started. A list is words; a text with a shell's own signs in it goes to `/bin/sh -c`, another is split at its blanks."},
    {"env", Shape::TextMap, "map of texts", "", "{VENDOR_URL: '{url}'}", "Variables for it and for `before`, `drive` and `after`."},
    {"ready", Shape::Text, "text", "at once", "'http://127.0.0.1:{free_port}/health'", "Service: a URL that answers below 500, `port 3000` that accepts, or `log REGEX` on a line of its output."},
    {"ready_within", Shape::Time, "duration", "30s", "60s", "Service: how long it may take to be ready."},
    {"drive", Shape::DriveForm, "words, text or map", "", "npm test", "Service: what makes it act, a command or `{request: 'POST http://...'}`."},
    {"until", Shape::Text, "text", "drive ends", "quiet 3s", "Service: its part is over when the `drive ends`, or when nothing came for so long."},
    {"stop", Shape::Text, "text", "SIGTERM 10s", "SIGINT 5s", "Service: the signal that ends it, and how long it may take until SIGKILL."},
    {"before", Shape::CommandForm, "words or text", "", "./reset-database", "Run ahead of each copy of the client in each scenario; must end with exit code 0."},
    {"after", Shape::CommandForm, "words or text", "", "./drop-database", "Run behind it, whatever happened."},
    {"replay", Shape::CommandForm, "words or text", "its command", "./sync --replay", "How a run that left something undone is done again, in scenarios that say `then`."},
    {"logs", Shape::Texts, "list of patterns", "", "['{state}/*.log', logs/app.log]", "Log files that it writes, by shell pattern: behind `{state}/`, or from its working folder. What a run adds to them is looked at like its output."},
    {"log_format", Shape::Word, "word", "text", "json", "`json`: each line of its logs is an object with the members that `logs_correlate_attempts` names.", "text|json"},
    {"sensitive", Shape::TextMap, "map of texts", "", "{mail: ann.7f3a@example.com}", "Texts of 8 characters or more in its data that must not stand in its logs. It is told each: `MISHAP_SENSITIVE_MAIL`."},
    {"dead_letters", Shape::Text, "file", "", "dead-letters.jsonl", "File of its state folder in which it keeps what was given up, one JSON object a line: `{operation, error, attempts, payload}`, or `payload_file` in place of `payload`. A claim: it is judged by it."},
    {"telemetry", Shape::Text, "file", "", "telemetry.json", "File of its state folder with its own counters as a JSON object: `attempts`, `retries`, `exhausted`, `alerts`. A claim: it is judged by it."},
};

constexpr KeySpec kDrive[] = {
    {"request", Shape::Text, "method and URL", "required", "'POST http://127.0.0.1:{free_port}/orders'", "The request; its host is this machine."},
    {"headers", Shape::FieldMap, "map of fields", "", "{X-User: ann}", "Fields of the request."},
    {"body", Shape::Text, "text", "", "sku=1", "The body as it is."},
    {"json", Shape::Json, "anything", "", "{sku: boat}", "The body as JSON; not together with `body`."},
};

constexpr KeySpec kCopies[] = {
    {"count", Shape::WholeNumber, "number", "required", "50", "How many."},
    {"share", Shape::Word, "word", "", "state", "`state`: the copies see each other's resources; their references must differ.", "state"},
};

constexpr KeySpec kThen[] = {
    {"run", Shape::CommandForm, "words or text", "the client's `replay`, or its command", "./sync --replay", "What is run then."},
    {"times", Shape::WholeNumber, "number", "1", "2", "How often, one behind the other; the second finds nothing left to do where the first did its work."},
};

constexpr KeySpec kPromise[] = {
    {"profile", Shape::Word, "word", "", "b2b", "A named profile to begin with (`mishap list profiles`); the values beside it win.", kProfileNames},
    {"max_attempts", Shape::WholeNumber, "number", "", "5", "Attempts of one operation, the first included."},
    {"attempt_timeout", Shape::Time, "duration", "", "2s", "How long one attempt may take."},
    {"deadline", Shape::Time, "duration", "", "120s", "How long one operation may take with all its attempts."},
    {"max_delay", Shape::Time, "duration", "", "30s", "The longest pause between attempts of its own making."},
    {"retries", Shape::Word, "word", "", "declared", "`declared`: it does try again; `none`: it never does.", "none|declared"},
    {"answer_within", Shape::Time, "duration", "", "3s", "A person waits: how soon the first word on an operation comes, be it `pending`."},
    {"breaker", Shape::Time, "duration", "", "1s", "There is a circuit breaker, which stays open so long at a time."},
    {"retry_budget", Shape::WholeNumber, "number", "", "2", "There is a budget for the retries of all calls; at most so many a second are left when it is empty."},
};

constexpr KeySpec kExpect[] = {
    {"outcome", Shape::Word, "word", "", "succeeded", "What the client must report of every operation.", "succeeded|failed|pending"},
    {"attempts", Shape::Count, "count", "", "2..5", "Attempts of every operation."},
    {"effects", Shape::EffectCounts, "map of counts", "", "{bookings: 1}", "How many things are there in the end, by resource."},
    {"seen", Shape::StatusCounts, "map of counts", "", "{409: 1..}", "How many answers of a status were given."},
    {"calls", Shape::CallList, "list of calls", "", "[{on: POST /v1/confirm, count: 1, after: POST /v1/bookings}]", "Which calls must come, how many of them, and after what."},
};

constexpr KeySpec kExpectedCall[] = {
    {"on", Shape::MatcherForm, "matcher", "required", "POST /v1/confirm", "Which calls. Counted are requests that came whole; what an HTTP library sent again by itself (a transport resend) is not. Of all copies together."},
    {"count", Shape::Count, "count", "1..", "1", "How many; `0`: none."},
    {"after", Shape::MatcherForm, "matcher", "", "POST /v1/bookings", "The first of these calls that a copy makes begins after the first call of this kind of that copy was answered completely, whatever its status."},
};

constexpr KeySpec kUpstream[] = {
    {"url", Shape::Text, "URL", "required", "https://sandbox.example.com/v2", "Where requests go: `http` or `https`, with a path that comes before theirs."},
    {"ca", Shape::Text, "path", "the system's", "./sandbox-ca.pem", "PEM file of the authorities to trust instead (from this file's folder)."},
    {"timeout", Shape::Time, "duration", "30s", "10s", "How long a whole call may take; then the client gets a 502 and the run is inconclusive."},
};

constexpr KeySpec kTls[] = {
    {"names", Shape::Texts, "list of names", "", "[api.vendor.com]", "Further names and addresses that the certificate is for, beside `localhost`, `127.0.0.1`, `::1` and the host of the URL."},
    {"ca_out", Shape::Text, "path", "", "./mishap-ca.pem", "Where the authority's certificate is written as well (PEM, from this file's folder), for a client that is not started by mishap."},
};

constexpr KeySpec kKnownFile[] = {
    {"mishap", Shape::VersionNumber, "number", "", "1", "Version of the language."},
    {"known", Shape::KnownList, "list of known findings", "", "see below", "What is known."},
};

constexpr KeySpec kKnown[] = {
    {"scenario", Shape::Glob, "glob", "required", "'late-*'", "Scenarios by name, or `core/*` by pack and name; `*` stands for any characters, `?` for one."},
    {"check", Shape::Glob, "glob", "required", "no_duplicate_effects", "Checks by name."},
    {"reason", Shape::Text, "text", "required", "fixed with the new queue, ABC-123", "Why it is accepted for now; reports show it."},
    {"until", Shape::Day, "day", "required", "2027-01-31", "The last day (UTC) on which it holds; from the next one on it fails again."},
};
// clang-format on

constexpr KeyTable kTables[] = {
    {"scenario", "A scenario", "The top level of a file.", kScenario},
    {"rule", "A rule of `faults`", "Needs `fault`, or `at` and `do`.", kRule},
    {"matcher", "A matcher as a map",
     "The short form is `POST /v1/bookings`, `pay POST /v1/charges` or `any`.", kMatcher},
    {"when", "when", "All that is given must hold.", kWhen},
    {"api", "An api", "A file of its own, or in place below `api:`.", kApi},
    {"resource", "A resource", "", kResource},
    {"idempotency", "idempotency", "", kIdempotency},
    {"batch", "batch as a map", "", kBatch},
    {"route", "A route", "", kRoute},
    {"operation", "operation", "", kOperation},
    {"auth", "auth", "", kAuth},
    {"limits", "limits", "", kLimits},
    {"tls", "tls as a map", "", kTls},
    {"upstream", "upstream as a map", "", kUpstream},
    {"timeline", "timeline as a map", "", kTimeline},
    {"phase", "A phase of `timeline`", "", kPhase},
    {"client", "client",
     "In these texts `{url}`, `{port}`, `{token}`, `{scenario}`, `{copy}`, `{outcomes}`, "
     "`{state}`, "
     "`{ca}` and `{free_port}` are replaced; in YAML one that stands alone is quoted: `'{url}'`.",
     kClient},
    {"drive", "drive as a map", "One request to the service.", kDrive},
    {"copies", "copies as a map", "", kCopies},
    {"then", "then", "", kThen},
    {"promise", "promise", "", kPromise},
    {"expect", "expect",
     "Every other key is the name of a check: `required`, `normal`, `advisory`, `{off: "
     "\"reason\"}`, or "
     "a map with `level` and the check's parameters.",
     kExpect},
    {"expected_call", "calls", "", kExpectedCall},
    {"known_file", "A file of known findings", "`mishap-known.yaml`, as `--write-known` writes it.",
     kKnownFile},
    {"known", "A known finding",
     "A fail that it means is shown and does not fail the run; one that it no longer meets is "
     "reported.",
     kKnown},
};

const KeyTable& table(std::string_view id) {
  for (const KeyTable& one : kTables) {
    if (one.id == id) return one;
  }
  return kTables[0];
}

// A cell must not end the row.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

const KeyTable& scenario_keys() {
  return table("scenario");
}
const KeyTable& api_keys() {
  return table("api");
}
const KeyTable& resource_keys() {
  return table("resource");
}
const KeyTable& idempotency_keys() {
  return table("idempotency");
}
const KeyTable& batch_keys() {
  return table("batch");
}
const KeyTable& route_keys() {
  return table("route");
}
const KeyTable& operation_keys() {
  return table("operation");
}
const KeyTable& auth_keys() {
  return table("auth");
}
const KeyTable& limits_keys() {
  return table("limits");
}
const KeyTable& rule_keys() {
  return table("rule");
}
const KeyTable& matcher_keys() {
  return table("matcher");
}
const KeyTable& when_keys() {
  return table("when");
}
const KeyTable& timeline_keys() {
  return table("timeline");
}
const KeyTable& phase_keys() {
  return table("phase");
}
const KeyTable& client_keys() {
  return table("client");
}
const KeyTable& drive_keys() {
  return table("drive");
}
const KeyTable& copies_keys() {
  return table("copies");
}
const KeyTable& then_keys() {
  return table("then");
}
const KeyTable& promise_keys() {
  return table("promise");
}
const KeyTable& expect_keys() {
  return table("expect");
}
const KeyTable& expected_call_keys() {
  return table("expected_call");
}
const KeyTable& upstream_keys() {
  return table("upstream");
}
const KeyTable& tls_keys() {
  return table("tls");
}

const KeyTable& known_file_keys() {
  return table("known_file");
}
const KeyTable& known_keys() {
  return table("known");
}

std::vector<const KeyTable*> all_key_tables() {
  std::vector<const KeyTable*> all;
  for (const KeyTable& one : kTables) all.push_back(&one);
  return all;
}

std::vector<std::string> key_names(const KeyTable& one) {
  std::vector<std::string> names;
  for (const KeySpec& key : one.keys) names.emplace_back(key.name);
  return names;
}

std::string key_table_markdown(const KeyTable& one) {
  std::string out = fmt::format("### {}\n\n", one.title);
  if (!one.about.empty()) out += fmt::format("{}\n\n", one.about);
  out += "| key | type | default | example | |\n| --- | --- | --- | --- | --- |\n";
  for (const KeySpec& key : one.keys) {
    std::string type(key.type);
    if (!key.choices.empty()) {
      type = fmt::format("`{}`", fmt::join(split_choices(key.choices), "`, `"));
    }
    const std::string example =
        key.example == "see below" ? "see below" : fmt::format("`{}`", key.example);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, cell(type),
                       cell(key.default_text), cell(example), cell(key.help));
  }
  return out + "\n";
}

std::string key_tables_markdown() {
  std::string out;
  for (const KeyTable& one : kTables) out += key_table_markdown(one);
  return out;
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = choices.find('|');
    all.emplace_back(choices.substr(0, end));
    if (end == std::string_view::npos) return all;
    choices.remove_prefix(end + 1);
  }
}

}  // namespace mishap::scenarios
