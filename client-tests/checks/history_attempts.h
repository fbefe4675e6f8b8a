#pragma once

#include <functional>
#include <vector>

#include <mishap/history.h>

#include "client-tests/checks/lives.h"

// What became of each attempt, decided from receipts, ledger and outcome lines alone.
namespace mishap::client_tests {

// The instants of the client's own words about an operation that can end an attempt: every
// succeeded or failed, and a last pending of a client that went on living by its own will. In order
// of time.
using LastWords = std::vector<Duration>;

// The effects that an exchange made, as instants of the ledger.
using EffectInstants = std::function<std::vector<Duration>(const server::Exchange&)>;

// Fills everything of `attempts` but the exchanges, which are in order of first byte and of one
// operation.
void judge_attempts(std::vector<Attempt>& attempts, const LastWords& last_words, const Lives& lives,
                    const EffectInstants& effects_of);

}  // namespace mishap::client_tests
