// The apply moment where the answers come from a real API. What it did is known from its answers
// alone: a 2xx to an unsafe request is an effect, a refusal is none, all else is left in doubt.
#include <algorithm>

#include "server/engine/play.h"
#include "server/engine/upstream_request.h"
#include "server/resources/problem.h"

namespace mishap::server {
namespace {

bool works_on_content(const MetRule& met) {
  const CompiledRule& compiled = met.rule->compiled;
  const auto& moments = compiled.moments;
  return met.hit.fired && compiled.fault->shapes_answer &&
         std::find(moments.begin(), moments.end(), Moment::Apply) != moments.end();
}

bool any_works_on_content(const std::vector<MetRule>& met) {
  return std::any_of(met.begin(), met.end(), works_on_content);
}

EffectKind kind_of(const std::string& method, StatusCode status) {
  if (method == "DELETE") return EffectKind::Deleted;
  if (method == "POST" || (method == "PUT" && status == 201)) return EffectKind::Created;
  return method == "PUT" ? EffectKind::Replaced : EffectKind::Patched;
}

}  // namespace

UpstreamRequest Play::call_upstream(LiveExchange& live, Duration) {
  live.called = true;
  const scenarios::Upstream& upstream = *live.vendor->api().upstream;
  return upstream_request(upstream, live.view, live.sent_target, std::move(live.sent_body),
                          any_works_on_content(live.met));
}

Steps Play::apply_answer(LiveExchange& live, UpstreamResult result, const UpstreamWords& words,
                         Duration now) {
  Exchange& kept = record(live);
  kept.upstream.sent = result.sent;
  if (result.answer) {
    kept.upstream.answered = now;
    kept.upstream.status = result.answer->status;
    return answer_of_vendor(live, answer_of_upstream(live, *result.answer, words), now);
  }
  live.applied = true;
  kept.upstream.in_doubt = result.sent.has_value() && !live.view.safe;
  kept.note = "no answer from the upstream " + result.failure;
  if (!result.cut_off) kept.upstream.failure = result.failure;
  SendAnswer answer = problem_answer(502, problems::kUpstream, kept.note);
  return shaped(live, Moment::Apply, {std::move(answer), Finish{}}, now, nullptr);
}

VendorAnswer Play::answer_of_upstream(LiveExchange& live, const UpstreamAnswer& given,
                                      const UpstreamWords& words) {
  const scenarios::Api& api = live.vendor->api();
  VendorAnswer answer;
  answer.answer =
      answer_to_client(given, *api.upstream, live.view.header("Host"), live.view.method == "HEAD");
  if (any_works_on_content(live.met)) make_plain(answer.answer, api.limits.answer);
  answer.collection = live.routed.collection;
  answer.shown = words.shown;
  if (live.view.safe) {
    const auto search = live.vendor->search_of(call_of(live), *live.state);
    if (!search) return answer;
    answer.collection = search->collection;
    if (!search->item.empty() && given.status / 100 == 2) answer.shown.push_back(search->item);
    return answer;
  }
  UpstreamCall& kept = record(live).upstream;
  kept.in_doubt = leaves_in_doubt(given.status);
  if (given.status / 100 != 2) return answer;
  const Outcome::Change change = change_of(live, given, words);
  Collection& collection = live.state->store.collection(answer.collection);
  const bool is_known = !change.id.empty() && collection.find(change.id) != nullptr;
  answer.replayed = words.replayed || (change.kind == EffectKind::Created && is_known);
  if (answer.replayed) return answer;
  kept.in_doubt = may_repeat(live, change);
  if (kept.in_doubt) return answer;
  if (change.kind == EffectKind::Deleted) {
    collection.remove(change.id);
  } else if (!change.id.empty()) {
    collection.put({change.id, change.reference, {}});
  }
  answer.change = change;
  return answer;
}

Outcome::Change Play::change_of(const LiveExchange& live, const UpstreamAnswer& given,
                                const UpstreamWords& words) {
  Outcome::Change change;
  change.kind = kind_of(live.view.method, given.status);
  change.id = live.view.method == "POST" || live.routed.id.empty() ? words.id : live.routed.id;
  change.reference = live.reference;
  return change;
}

// Where an answer names nothing, a second success of one operation may be the first one told again
// or a second effect.
bool Play::may_repeat(const LiveExchange& live, const Outcome::Change& change) {
  if (change.kind != EffectKind::Created || !change.id.empty()) return false;
  const std::uint64_t operation = record(live).identity.operation;
  return operation != 0 && live.lane->operations.has_created(operation);
}

}  // namespace mishap::server
