#include "server/journal/log.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace mishap::server {
namespace {

// Exchanges that are read from disk to be changed go back together.
constexpr std::size_t kTakenBackAtOnce = 256;

template <typename Record>
void copy_outside(const Shelf<Record>& shelf, std::deque<Record>& into) {
  for (const auto& [number, record] : shelf.outside()) into.push_back(record);
}

template <typename Record>
void move_behind(std::deque<Record>& first, std::deque<Record>& second) {
  std::ranges::move(second, std::back_inserter(first));
}

// Of records with one number the last is the newest.
template <typename Record>
void put_in_order(std::deque<Record>& records) {
  std::ranges::stable_sort(records, {}, &Record::number);
  const auto has_newer = [&](auto at) {
    const auto next = std::next(at);
    return next != records.end() && next->number == at->number;
  };
  auto kept = records.begin();
  for (auto at = records.begin(); at != records.end(); ++at) {
    if (has_newer(at)) continue;
    if (kept != at) *kept = std::move(*at);
    ++kept;
  }
  records.erase(kept, records.end());
}

}  // namespace

Log::Log(Limits limits)
    : limits_(limits),
      connections_({recent_.connections, *spill_, recent_.lost, limits.in_memory, limits.most}),
      exchanges_({recent_.exchanges, *spill_, recent_.lost, limits.in_memory, limits.most}),
      effects_({recent_.effects, *spill_, recent_.lost, limits.in_memory, limits.most}) {}

// A row of the ledger is over as soon as it is written, which its writer does at once.
Effect& Log::add_effect() {
  Effect& added = effects_.add();
  if (added.number > 1) effects_.over(added.number - 1);
  return added;
}

ListenerSpell& Log::add_spell() {
  ListenerSpell& added = recent_.spells.emplace_back();
  added.number = recent_.spells.size();
  return added;
}

void Log::add_turned_away(TurnedAway one) {
  if (recent_.turned_away.size() < limits_.most) {
    recent_.turned_away.push_back(std::move(one));
  } else {
    ++recent_.lost;
  }
}

Connection& Log::connection(std::uint64_t number) {
  Connection* found = connections_.find(number);
  assert(found != nullptr && "a connection is recorded before anything else about it");
  return *found;
}

Exchange& Log::exchange(std::uint64_t number) {
  Exchange* found = find_exchange(number);
  assert(found != nullptr && "an exchange is recorded before anything else about it");
  return *found;
}

Exchange* Log::find_exchange(std::uint64_t number) {
  if (Exchange* here = exchanges_.find(number)) return here;
  const auto place = exchanges_.place_of(number);
  if (!place) return nullptr;
  auto read = parse_json_lines(spill_->line_at(*place));
  if (!read || read->exchanges.size() != 1) return nullptr;
  if (taken_back_.size() == kTakenBackAtOnce) put_back_what_was_taken();
  taken_back_.push_back(number);
  return &exchanges_.take_back(std::move(read->exchanges.front()));
}

void Log::put_back_what_was_taken() {
  for (const std::uint64_t number : taken_back_) exchanges_.over(number);
  taken_back_.clear();
}

Log::Cut Log::cut() {
  Cut cut;
  // Behind the window, so that the newer of two is the later one.
  cut.in_memory = recent_;
  copy_outside(connections_, cut.in_memory.connections);
  copy_outside(exchanges_, cut.in_memory.exchanges);
  copy_outside(effects_, cut.in_memory.effects);
  cut.spill = spill_;
  cut.spilled = spill_->flush();
  cut.in_memory.lost += spill_->lost();
  return cut;
}

Journal Log::whole(Cut cut) {
  Journal whole;
  const bool is_read = cut.spill->read(cut.spilled, [&](std::string_view lines) {
    auto block = parse_json_lines(lines);
    if (!block) {
      ++whole.lost;
      return;
    }
    move_behind(whole.connections, block->connections);
    move_behind(whole.exchanges, block->exchanges);
    move_behind(whole.effects, block->effects);
  });
  if (!is_read) ++whole.lost;
  Journal& recent = cut.in_memory;
  whole.lost += recent.lost;
  whole.spells = std::move(recent.spells);
  whole.turned_away = std::move(recent.turned_away);
  move_behind(whole.connections, recent.connections);
  move_behind(whole.exchanges, recent.exchanges);
  move_behind(whole.effects, recent.effects);
  put_in_order(whole.connections);
  put_in_order(whole.exchanges);
  put_in_order(whole.effects);
  return whole;
}

}  // namespace mishap::server
