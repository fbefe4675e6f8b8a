#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mishap/history.h>

#include "client-tests/checks/by_number.h"
#include "client-tests/checks/call_facts.h"
#include "client-tests/checks/connection_line.h"
#include "client-tests/checks/creation_table.h"
#include "client-tests/checks/effect_fates.h"
#include "client-tests/checks/lane_facts.h"
#include "client-tests/checks/own_delay.h"

// What checks ask about a whole history, again for each of its operations: walked through once,
// when it is first asked, and looked up from then on. A check that walks through all operations, or
// all exchanges, for each operation never ends with a large run.
namespace mishap::client_tests {

using ConnectionsByNumber = ByNumber<decltype(server::Journal::connections)>;

const ExchangesByNumber& exchanges_by_number(const History& history);
const ConnectionsByNumber& connections_by_number(const History& history);
const EffectFates& effect_fates(const History& history);
const CallTable& call_table(const History& history);
const LaneLines& lane_lines(const History& history);

// How often the lane said this.
std::uint64_t times_asked(const History& history, int lane, const std::string& content);
// How much the lane created in the collection, without what is the vendor's own doing; and how much
// of it by operations whose first attempt said this.
std::size_t creations_in(const History& history, int lane, const std::string& resource);
std::uint64_t creations_by(const History& history, int lane, const std::string& content);
// How long the client waits by its own habit.
const OwnDelays& own_delays_of(const History& history);
// It has an operation of two attempts or more.
bool has_retries(const History& history);
// The longest gap between two attempts of an operation of the lane.
Duration largest_gap(const History& history, int lane);
// In the order of the history.
const std::vector<const Operation*>& operations_of(const History& history, int lane);
// What came over each connection, in the order of the journal.
const ConnectionLine& connection_line(const History& history, std::uint64_t connection);

// For whoever makes a history.
std::shared_ptr<const HistoryIndex> empty_index();

}  // namespace mishap::client_tests
