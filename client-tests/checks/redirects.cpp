#include "client-tests/checks/redirects.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace mishap::client_tests {

namespace {

using server::Exchange;

bool is_location(const NameValue& field) {
  static constexpr std::string_view kName = "location";
  return std::ranges::equal(field.name, kName, [](char a, char b) { return (a | 0x20) == b; });
}

// The path that Location names, whether it is a whole URL or a path.
std::string target_path(const Exchange& exchange) {
  const auto field = std::ranges::find_if(exchange.answer.headers, is_location);
  if (field == exchange.answer.headers.end()) return {};
  std::string_view place = field->value;
  if (const auto scheme = place.find("://"); scheme != std::string_view::npos) {
    const auto slash = place.find('/', scheme + 3);
    place = slash == std::string_view::npos ? "/" : place.substr(slash);
  }
  return std::string(place.substr(0, place.find_first_of("?#")));
}

class Chains {
 public:
  explicit Chains(const Recording& recording) : exchanges_(recording.journal.exchanges) {}

  std::vector<RedirectChain> all() {
    std::vector<RedirectChain> chains;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      if (taken_.contains(i) || !is_redirect(exchanges_[i])) continue;
      RedirectChain chain = from(i);
      if (chain.hops() > 0) chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  RedirectChain from(std::size_t first) {
    RedirectChain chain;
    chain.exchanges.push_back(&exchanges_[first]);
    for (std::size_t at = first; is_redirect(exchanges_[at]);) {
      const std::size_t next = follower(at, exchanges_[first].request.content_hash);
      if (next == exchanges_.size()) break;
      taken_.insert(next);
      chain.exchanges.push_back(&exchanges_[next]);
      at = next;
    }
    return chain;
  }

  // Nothing once the client asks for the first thing again: what it gets then is another chain.
  std::size_t follower(std::size_t at, const std::string& began_with) const {
    const Exchange& redirect = exchanges_[at];
    const std::string path = target_path(redirect);
    for (std::size_t i = at + 1; i < exchanges_.size(); ++i) {
      const Exchange& next = exchanges_[i];
      const bool is_later = next.first_byte >= *redirect.receipt.first_write;
      if (next.lane != redirect.lane || taken_.contains(i) || !is_later) continue;
      if (next.request.path == path) return i;
      if (!began_with.empty() && next.request.content_hash == began_with) break;
    }
    return exchanges_.size();
  }

  const std::deque<Exchange>& exchanges_;
  std::set<std::size_t> taken_;
};

}  // namespace

bool is_redirect(const Exchange& exchange) {
  return exchange.answer.status / 100 == 3 && exchange.receipt.first_write &&
         exchange.receipt.delivery == server::Delivery::Complete &&
         std::ranges::any_of(exchange.answer.headers, is_location);
}

std::vector<RedirectChain> followed_redirects(const Recording& recording) {
  return Chains(recording).all();
}

std::string path_of(const RedirectChain& chain) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, chain.exchanges.size()); ++i) {
    text += (i == 0 ? "#" : " -> #") + std::to_string(chain.exchanges[i]->number);
  }
  return chain.exchanges.size() > kShown ? text + " -> ..." : text;
}

}  // namespace mishap::client_tests
