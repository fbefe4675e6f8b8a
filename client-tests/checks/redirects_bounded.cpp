#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "client-tests/checks/catalog.h"
#include "client-tests/checks/redirects.h"
#include "client-tests/checks/tally.h"

// Redirects end, and mean what they say.
namespace mishap::client_tests {

namespace {

using server::Exchange;

Witness cite(const RedirectChain& chain, std::string statement) {
  constexpr std::size_t kCited = 6;
  Witness made = said(std::move(statement));
  for (std::size_t i = 0; i < std::min(kCited, chain.exchanges.size()); ++i) {
    made.exchanges.push_back(chain.exchanges[i]->number);
  }
  return made;
}

class Judge {
 public:
  explicit Judge(const Params& params)
      : most_(static_cast<std::size_t>(params.integer("hops"))),
        many_(static_cast<std::size_t>(params.integer("many"))) {}

  void look_at(const RedirectChain& chain) {
    judge_length(chain);
    judge_repetition(chain);
    for (std::size_t i = 1; i < chain.exchanges.size(); ++i) {
      judge_sameness(chain, *chain.exchanges[i - 1], *chain.exchanges[i]);
    }
    judge_effects(chain);
  }

  Finding settle() const {
    return tally_.settle(
        {.failed = "redirects are followed without end, or into another request",
         .reason = "A loop was not given up, or what was sent on was not the same.",
         .held = counted(tally_.judged(), "step") + " of redirects right",
         .none = "no redirect was followed"});
  }

 private:
  void judge_length(const RedirectChain& chain) {
    const bool kept = chain.hops() <= most_;
    const std::string text = fmt::format("{}: {} {} {}", path_of(chain),
                                         counted(chain.hops(), "hop"), kept ? "<=" : ">", most_);
    kept ? tally_.held(cite(chain, text)) : tally_.broke(cite(chain, text));
    if (kept && chain.hops() > many_) tally_.warn(text);
  }

  // Whoever has gone round a loop and then begins it again has not understood it.
  void judge_repetition(const RedirectChain& chain) {
    if (chain.hops() < 2 || !is_redirect(*chain.exchanges.back())) return;
    const Exchange& first = *chain.exchanges.front();
    if (first.request.content_hash.empty() || first.identity.operation == 0) return;
    const auto [known, is_new] = loops_.try_emplace(first.identity.operation, first.number);
    if (is_new) return;
    tally_.broke(cite(
        chain, fmt::format("{}: the loop of #{} was begun again", path_of(chain), known->second)));
  }

  // 307 and 308 mean the same request at another place.
  void judge_sameness(const RedirectChain& chain, const Exchange& from, const Exchange& to) {
    if (from.answer.status != 307 && from.answer.status != 308) return;
    const bool is_same = from.request.method == to.request.method &&
                         from.request.body_hash == to.request.body_hash &&
                         (from.request.key == to.request.key || from.api != to.api);
    const std::string text =
        fmt::format("#{} {} -> #{} {} after {}: {}", from.number, from.request.method, to.number,
                    to.request.method, from.answer.status,
                    is_same ? "the same request" : "method, body or key changed");
    is_same ? tally_.held(cite(chain, text)) : tally_.broke(cite(chain, text));
  }

  // After 301, 302 and 303 a create is not to be made once more.
  void judge_effects(const RedirectChain& chain) {
    if (chain.exchanges.front()->safe) return;
    std::size_t effects = 0;
    for (const Exchange* exchange : chain.exchanges) effects += exchange->effects.size();
    if (effects > 1) {
      tally_.broke(cite(
          chain, fmt::format("{}: {} of one create", path_of(chain), counted(effects, "effect"))));
    }
  }

  std::size_t most_;
  std::size_t many_;
  std::map<std::uint64_t, std::uint64_t> loops_;  // by operation: its first request
  Tally tally_;
};

Finding evaluate(const Case& c, const Params& params) {
  Judge judge(params);
  for (const RedirectChain& chain : followed_redirects(c.recording)) judge.look_at(chain);
  return judge.settle();
}

}  // namespace

const CheckDescriptor kRedirectsBounded = {
    .name = "redirects_bounded",
    .summary = "redirects end, and keep what they must keep",
    .rule =
        "hops <= 20 (more than 10: a warning), a loop is not begun again, 307 and 308 keep method, "
        "body and key, and a create that is redirected takes effect once",
    .judged = "redirects that the client followed",
    .why = "A loop without a bound holds a worker for ever, and a create that is sent on is two.",
    .change =
        "Bound the hops at ten or so and take a loop for a failure that is not retried; follow a "
        "303 with GET.",
    .source = "RFC 9110 section 15.4",
    .since = "0.1",
    .params = {{.name = "hops",
                .type = ParamType::Integer,
                .default_text = "20",
                .range = "1..1000",
                .help = "at most so many"},
               {.name = "many",
                .type = ParamType::Integer,
                .default_text = "10",
                .range = "1..1000",
                .help = "more are a warning"}},
    .severity = 57,
    .families = {Family::WaitingWithoutEnd},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
