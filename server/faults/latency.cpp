#include <algorithm>
#include <cmath>

#include "server/faults/catalog.h"
#include "server/faults/proof.h"

// The vendor, or the way to it, is slow: everything happens, later.
namespace mishap::server {
namespace {

using std::chrono::seconds;

constexpr std::string_view kPurpose = "delay";
// Of a lognormal delay without `max`: far above what timeouts allow, and still an end.
constexpr double kMostMedians = 10.0;

Duration scaled(Duration length, double factor) {
  return Duration(std::llround(static_cast<double>(length.count()) * factor));
}

Duration fixed_delay(const Params& params) {
  return params.has("for") ? params.duration("for") : Duration(seconds(1));
}

Duration least(const Params& params) {
  return params.has("min") ? params.duration("min") : Duration{};
}

Duration lognormal_delay(const Params& params, double drawn) {
  const Duration median = params.duration("median");
  const double sigma = params.has("sigma") ? params.number("sigma") : 0.5;
  const Duration most = params.has("max") ? params.duration("max") : scaled(median, kMostMedians);
  // Bounded before it becomes a number of nanoseconds: the tail of the curve has no end.
  const double factor = std::min(std::exp(sigma * drawn), 1e6);
  return std::clamp(scaled(median, factor), least(params), std::max(most, least(params)));
}

Duration delay_of(const Params& params, double drawn) {
  const std::string& distribution = params.text("distribution");
  if (distribution == "uniform") {
    return least(params) + scaled(params.duration("max") - least(params), drawn);
  }
  return distribution == "lognormal" ? lognormal_delay(params, drawn) : fixed_delay(params);
}

double draw(const Params& params, Draws& draws) {
  const std::string& distribution = params.text("distribution");
  if (distribution == "uniform") return draws.uniform(kPurpose);
  return distribution == "lognormal" ? draws.normal(kPurpose) : 0.0;
}

Steps plan(Steps steps, const Params& params, FaultContext& context) {
  auto at = steps.begin();
  if (context.point == Point::ResponseBody) {
    at = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
      const Send* send = std::get_if<Send>(&step);
      return send != nullptr && send->part == Part::Body;
    });
    if (at == steps.end()) return steps;
  }
  steps.insert(at, Wait{delay_of(params, draw(params, context.draws))});
  return steps;
}

// What was drawn stands in the journal beside the rule that drew it.
std::optional<double> recorded_draw(const std::vector<RuleHit>& hits, Point point) {
  for (const RuleHit& hit : hits) {
    if (!hit.fired || hit.fault != "latency" || hit.point != scenarios::to_string(point)) continue;
    for (const Draw& one : hit.draws) {
      if (one.purpose == kPurpose) return one.value;
    }
  }
  return std::nullopt;
}

Shortfall accept_shortfall(const Proof& proof, Duration delay) {
  if (proof.connection == nullptr) return "nothing is known of the connection";
  const Connection& connection = *proof.connection;
  if (proof.exchange.number != 0) {
    return wait_shortfall(proof.exchange, connection.accepted, proof.exchange.first_byte, delay,
                          "the first read");
  }
  if (connection.departed) return std::nullopt;
  return "no request came over the connection";
}

Shortfall body_shortfall(const Exchange& exchange, Duration delay) {
  if (exchange.answer.body_bytes == 0) return "the answer has no body to hold back";
  // Without the body there is no second write: then only a client that left has met the delay.
  const bool body_written = exchange.receipt.delivery == Delivery::Complete ||
                            exchange.receipt.delivery == Delivery::PartOfBody;
  if (!body_written) {
    return client_left(exchange) ? Shortfall() : Shortfall("the body did not go out");
  }
  return wait_shortfall(exchange, exchange.receipt.first_write, exchange.receipt.last_write, delay,
                        "the body");
}

Shortfall delay_shortfall(const Proof& proof, Duration delay) {
  const Exchange& exchange = proof.exchange;
  switch (proof.point) {
    case Point::Accept:
      return accept_shortfall(proof, delay);
    case Point::RequestHead:
      return wait_shortfall(exchange, exchange.head_read, exchange.request_read, delay,
                            "the end of the request");
    case Point::BeforeEffect:
      return wait_shortfall(exchange, exchange.request_read, exchange.applied, delay, "the effect");
    case Point::AfterEffect:
      return wait_shortfall(exchange, exchange.applied, exchange.receipt.first_write, delay,
                            "the answer");
    case Point::ResponseBody:
      return body_shortfall(exchange, delay);
    default:
      return "this point is not served";
  }
}

Shortfall shortfall(const Proof& proof, const Params& params) {
  double drawn = 0;
  if (params.text("distribution") != "fixed") {
    const bool at_accept = proof.point == Point::Accept && proof.connection != nullptr;
    const auto recorded =
        recorded_draw(at_accept ? proof.connection->rules : proof.exchange.rules, proof.point);
    if (!recorded) return "the delay that was drawn is not recorded";
    drawn = *recorded;
  }
  return delay_shortfall(proof, delay_of(params, drawn));
}

void refuse(const Params& params, std::initializer_list<std::string_view> names,
            const SourceSpan& span, Diagnostics& diagnostics) {
  for (const std::string_view name : names) {
    if (!params.has(name)) continue;
    diagnostics.push_back({Severity::Error,
                           "fault \"latency\": \"" + std::string(name) +
                               "\" says nothing when the distribution is " +
                               params.text("distribution"),
                           span});
  }
}

void need(const Params& params, std::string_view name, const SourceSpan& span,
          Diagnostics& diagnostics) {
  if (params.has(name)) return;
  diagnostics.push_back({Severity::Error,
                         "fault \"latency\": distribution " + params.text("distribution") +
                             " needs \"" + std::string(name) + "\"",
                         span});
}

void validate(const Params& params, Point, const SourceSpan& span, Diagnostics& diagnostics) {
  const std::string& distribution = params.text("distribution");
  if (distribution == "fixed") {
    refuse(params, {"min", "max", "median", "sigma"}, span, diagnostics);
  } else if (distribution == "uniform") {
    refuse(params, {"for", "median", "sigma"}, span, diagnostics);
    need(params, "max", span, diagnostics);
  } else {
    refuse(params, {"for"}, span, diagnostics);
    need(params, "median", span, diagnostics);
  }
  if (params.has("max") && params.duration("max") < least(params)) {
    diagnostics.push_back({Severity::Error, "fault \"latency\": max is below min", span});
  }
}

}  // namespace

const FaultDescriptor& latency_fault() {
  static const FaultDescriptor fault{
      .name = "latency",
      .action = "delay",
      .summary = "Everything happens as it should, but late.",
      .stands_for = "An overloaded vendor, a cold start, a slow query, a distant region.",
      .since = "0.1",
      .params = {{.name = "for",
                  .type = ParamType::Duration,
                  .help = "the delay, when it is fixed; 1s where not said"},
                 {.name = "distribution",
                  .type = ParamType::Choice,
                  .default_text = "fixed",
                  .choices = "fixed|uniform|lognormal",
                  .help = "how the delay is drawn for each exchange"},
                 {.name = "min",
                  .type = ParamType::Duration,
                  .help = "the shortest delay drawn; 0s where not said"},
                 {.name = "max",
                  .type = ParamType::Duration,
                  .help = "the longest delay drawn; needed for uniform, ten times the median for "
                          "lognormal where not said"},
                 {.name = "median",
                  .type = ParamType::Duration,
                  .help = "of lognormal: half are shorter"},
                 {.name = "sigma",
                  .type = ParamType::Number,
                  .range = "0..3",
                  .help = "of lognormal: how far the tail reaches; 0.5 where not said"}},
      .points = {Point::BeforeEffect, Point::Accept, Point::RequestHead, Point::AfterEffect,
                 Point::ResponseBody},
      .plan = plan,
      .also = {},
      .shortfall = shortfall,
      .validate = validate,
  };
  return fault;
}

}  // namespace mishap::server
