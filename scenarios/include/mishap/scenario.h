#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/client.h"
#include "mishap/error.h"
#include "mishap/host_name.h"
#include "mishap/node.h"
#include "mishap/parameters.h"
#include "mishap/units.h"

// A scenario as read from YAML: shape, types and units are checked, names of faults and checks are
// kept with their places for the rooms that own those catalogues. Plain values, no threads.
namespace mishap::scenarios {

// The points in the life of a request at which something can go wrong, in that order.
enum class Point {
  Connect,
  Accept,
  Handshake,
  RequestHead,
  RequestBody,
  BeforeEffect,
  AfterEffect,
  ResponseHead,
  ResponseBody,
  AfterResponse,
  Idle,
};
std::string_view to_string(Point point);  // "before_effect"
std::optional<Point> point_named(std::string_view text);
std::vector<std::string> point_names();
std::vector<CatalogueEntry> point_catalogue();  // for `list` and `explain`

enum class CallClass { Any, Safe, Unsafe };

// Which requests a rule or a route is about. `POST /v1/bookings/:id`, `any`, or a map.
struct Matcher {
  std::string api;           // empty: whichever api there is
  std::string method = "*";  // upper case, or "*"
  std::string path = "*";    // ":name" matches one segment, a trailing "*" the rest
  CallClass call_class = CallClass::Any;
  std::vector<NameValue> headers;  // all must be present with this value
  std::vector<NameValue> query;
  std::vector<NameValue> body;  // top-level JSON members with this value as text
  std::string text;             // as written, for people
  SourceSpan span;
};

// n, n..m, n.. or every n; numbers count from 1 (copies from 0).
struct Count {
  std::uint64_t first = 1;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t every = 0;  // 0: the range; else each multiple of it
  SourceSpan span;

  bool contains(std::uint64_t n) const {
    if (every != 0) return n != 0 && n % every == 0;
    return n >= first && n <= last;
  }
};

// All that is set must hold.
struct When {
  std::optional<Count> op;                     // operations within a lane
  std::optional<Count> attempt;                // within an operation
  std::optional<Count> request;                // requests this rule's matcher met, within a lane
  std::optional<Count> connection;             // within a lane
  std::optional<Count> request_on_connection;  // within a connection
  std::optional<Count> copy;
  std::string during_phase;                             // empty: any time
  std::optional<std::pair<Duration, Duration>> during;  // since the scenario's clock started
  double rate = 1.0;                                    // share of what is left, drawn per exchange
  std::optional<double> rate_at_end;  // where it changes evenly, over the span of `during`
  SourceSpan span;
};

// One thing that goes wrong.
struct FaultRule {
  std::string name;  // given, or made from its content ("response_lost on POST /v1/x")
  Matcher on;
  When when;
  std::optional<Point> at;  // where written; else the fault's own default
  std::string fault;        // catalogue name, also for the `do` form
  bool as_action = false;   // written as {at:, do:}
  Node parameters;          // the map that holds the parameters, or Null
  SourceSpan span;          // of the rule
  SourceSpan fault_span;    // of the fault's name
};

enum class Replay { All, Success, None };

// What the vendor does with Idempotency-Key (draft-ietf-httpapi-idempotency-key-header).
struct IdempotencyPolicy {
  bool enabled = true;
  std::string header = "Idempotency-Key";
  bool required = false;        // missing: 400
  Replay replay = Replay::All;  // which finished answers are stored and replayed
  Duration lifetime = std::chrono::hours(24);
};

enum class Verb { Create, Read, List, Replace, Patch, Delete };

// Many creates in one request; each is an operation of its own, and its result stands at its place
// in the answer.
struct Batch {
  std::string path;                     // "/v1/bookings/batch"
  std::string items = "items";          // member of the request with the items
  std::string results = "results";      // member of the answer
  std::string key = "idempotency_key";  // member of an item that is its idempotency key
  StatusCode status = 207;              // of the answer, whatever became of the items
  SourceSpan span;
};

// A stateful collection at `path` with its items at `path`/:id.
struct Resource {
  std::string name;       // "bookings"
  std::string path;       // "/v1/bookings"
  std::string id_prefix;  // "bk_" -> bk_1, bk_2 ...
  std::string id_field = "id";
  std::string reference;          // the natural reference field of a body; empty: none
  bool unique_reference = false;  // a second create with the same reference is a 409
  std::vector<Verb> verbs;
  std::optional<Batch> batch;  // creates, many in one request
  Node schema;                 // {type: object, required: [..], properties: ..}; Null: none
  IdempotencyPolicy idempotency;
  std::vector<Node> items;  // there from the start
  SourceSpan span;
};

// A stateless answer.
struct Route {
  Matcher on;
  StatusCode status = 200;
  std::vector<NameValue> headers;
  std::optional<std::string> body;  // text; `json:` is stored here encoded
  bool json = false;
  SourceSpan span;
};

struct Auth {
  bool required = false;  // bearer: MISHAP_TOKEN or 401
};

struct Limits {
  std::uint64_t target = 8 * 1024;          // bytes of a request target: 414
  std::uint64_t head = 64 * 1024;           // bytes of a request head: 431
  std::uint64_t body = 16 * 1024 * 1024;    // bytes of a request body: 413
  std::uint64_t answer = 16 * 1024 * 1024;  // bytes of an upstream's answer: 502
};

// A real API that gives the answers. Requests go to this one origin and to no other.
struct Upstream {
  bool tls = false;
  std::string host;       // a name or an address, that of IPv6 without its brackets
  Port port = 0;          // also where it is the scheme's own
  std::string base_path;  // before the path of every request, without a slash at its end
  std::string authority;  // for Host: "sandbox.example.com", "127.0.0.1:8080", "[::1]:8080"
  std::string ca;         // file of PEM certificates that are trusted instead of the system's
  Duration timeout = std::chrono::seconds(30);  // of a whole call
  SourceSpan span;
  // "https://sandbox.example.com/v2"
  std::string url() const { return (tls ? "https://" : "http://") + authority + base_path; }
  bool is_this_machine() const {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
  }
};

// The vendor speaks TLS, with certificates of the run's own authority.
struct Tls {
  std::vector<std::string> names;  // further ones that the certificate is for, or addresses
  std::string ca_out;  // where the authority's certificate is written (PEM); empty: nowhere
  SourceSpan ca_out_span;
  SourceSpan span;
};

// The vendor when it is well.
struct Api {
  std::string name;  // "booking", or as given under `apis`
  std::string base;  // shipped name it came from, for people
  std::vector<Resource> resources;
  std::vector<Route> routes;
  bool any_path = false;                // every path is a collection (the vendor `any`)
  std::vector<std::string> safe_posts;  // path patterns whose POST only reads
  std::vector<std::string> references;  // members an outcome may name an operation by (any_path)
  std::string operation_from;  // "header X-Request-Ref" or "body reference"; empty: by default
  Auth auth;
  Limits limits;
  std::optional<Tls> tls;
  std::vector<NamedHost> intercept;  // clients reach it under these by way of the run's proxy
  std::optional<Upstream> upstream;  // who answers what no route does
  SourceSpan span;
};

struct Phase {
  std::string name;
  Duration length{};
};

// What is run when the client has ended and left something undone: with the same state folder, the
// same vendor and no faults.
struct Then {
  CommandLine run;  // empty: the client's replay, or its command
  int times = 1;
  SourceSpan span;
};

// How a scenario wants its client run, over what mishap.yaml and the command line say.
struct ClientSettings : Client {
  int copies = 1;
  bool share_state = false;
};

// What a client claims; what is not claimed is judged by generous defaults (checks.md section 1).
struct Promise {
  std::string profile;  // the named profile it began with; empty: none
  std::optional<std::int64_t> max_attempts;
  std::optional<Duration> attempt_timeout;
  std::optional<Duration> deadline;
  std::optional<Duration> max_delay;
  std::optional<bool> retries;            // declared: true, none: false, else unknown
  std::optional<Duration> answer_within;  // a person waits: how soon the first word comes
  std::optional<Duration> breaker;        // there is one, which stays open so long at a time
  std::optional<std::int64_t>
      retry_budget;  // there is one; retries a second when it is empty, from 1
};

enum class Level { Required, Normal, Advisory, Off };

struct Expectation {
  std::string check;
  Level level = Level::Normal;
  std::string reason;  // of Off
  Node parameters;     // Null or a Map
  SourceSpan span;
};

// Calls that must have come: how many, and not before another one was answered.
struct ExpectedCall {
  Matcher on;
  Count count;  // at least one where it is not said
  std::optional<Matcher> after;
  SourceSpan span;
};

// expect: {outcome:, attempts:, effects:, seen:, calls:}, a user's own counts.
struct ExpectedCounts {
  std::string outcome;                   // succeeded, failed, pending; empty: not said
  std::optional<Count> attempts;         // policy attempts of each operation
  std::map<std::string, Count> effects;  // by resource name, or "pay bookings" of one api
  std::map<StatusCode, Count> seen;      // answers by status
  std::vector<ExpectedCall> calls;
  SourceSpan span;
  bool any() const {
    return !outcome.empty() || attempts || !effects.empty() || !seen.empty() || !calls.empty();
  }
};

struct Scenario {
  std::string name;
  std::string summary;
  std::string stands_for;
  std::string consequence;
  std::string remedy;
  std::vector<std::string> tags;
  std::vector<Api> apis;  // at least one
  std::vector<FaultRule> rules;
  std::vector<Phase> timeline;
  bool timeline_repeats = false;
  ClientSettings client;
  std::optional<Then> then;
  Promise promise;
  std::vector<Expectation> expectations;
  ExpectedCounts counts;
  std::string compare_with;  // a scenario of the same pack that shows the client's own habit
  std::vector<std::string> param_names;  // what --set can replace, in the order of the file
  std::string pack;                      // "core", or empty
  std::string path;                      // as the user named it, or "shipped:core/x.yaml"
  bool shipped = false;
};

// What mishap.yaml says for every scenario. A scenario's own words win; a shipped one's are only a
// default, so there mishap.yaml wins.
struct ProjectDefaults {
  Node api;                  // what stands behind `api`; Null: nothing
  Node apis;                 // what stands behind `apis`; Null: nothing
  std::string folder;        // where their relative paths begin
  std::vector<Node> params;  // maps of $name -> value, the later wins
  Promise promise;
  bool has_api() const { return !api.is_null() || !apis.is_null(); }
};

// A name for the reader: what the user wrote for `$name`s, and what replaces the scenario's api.
struct LoadOptions {
  std::vector<NameValue> set;          // --set name=value, value read as YAML
  bool pass_over_unknown_set = false;  // a pack is aimed as a whole: not each file has each name
  std::string api;                     // --api: shipped name or path; empty: as the scenario says
  std::vector<std::string> faults;     // --fault "POST /x response_lost attempt=1"
  std::vector<std::string> intercept;  // --intercept api.vendor.com, or NAME=api.vendor.com
  std::vector<NameValue> promise;      // --promise max_attempts=5, --promise profile=b2b
  ProjectDefaults project;
};

struct Loaded {
  std::optional<Scenario> scenario;  // absent when there are errors
  Diagnostics diagnostics;           // warnings too
  // With errors: what could be read in spite of them, so that the rooms with the catalogues can
  // report theirs in the same breath. Rules that are not whole are left out, and an api that is not
  // is replaced by one that takes every call; so only errors found in it count, not warnings.
  std::optional<Scenario> partial;
};

// Reads one file, or a shipped scenario by "core/x" or its bare name. Never throws; bounded in
// memory and time whatever the file holds (1 MiB, 64 levels, 20 000 nodes, no aliases beyond that).
Loaded load_scenario(const std::string& path_or_name, const LoadOptions& options);

// The same from text; `name` stands in messages, relative paths are taken from `folder`.
Loaded load_scenario_text(const std::string& name, const std::string& text,
                          const std::string& folder, const LoadOptions& options);

// A scenario without faults over an api (shipped name or path): `serve booking`, the control run.
Loaded load_api(const std::string& path_or_name, const LoadOptions& options);

// Names on the command line -> what to load, in a fixed order: a shipped pack, a shipped scenario,
// a file, a folder of files.
tl::expected<std::vector<std::string>, Error> resolve_targets(
    const std::vector<std::string>& names);

struct Shipped {
  std::string name;  // "core/healthy", "booking"
  std::string text;
};
const std::vector<Shipped>& shipped_scenarios();
const std::vector<Shipped>& shipped_apis();

// The JSON Schema (draft 2020-12) of the language, from the loader's own tables and the catalogues.
std::string json_schema(const std::vector<CatalogueEntry>& faults,
                        const std::vector<CatalogueEntry>& checks);

}  // namespace mishap::scenarios
