#pragma once

#include <string>
#include <vector>

#include <mishap/history.h>

// The words of a timeline, one moment each.
namespace mishap::client_tests {

// "POST /v1/bookings  ref r-1  key k-1  same body  after 0.54 s  -> made bk_1, then RST, no byte of
// an answer". `first`: the operation's first exchange, to tell a body from; may be the same.
std::string request_text(const Attempt& attempt, const server::Exchange& first,
                         const std::vector<const server::Effect*>& in_time);

// For an exchange that belongs to no operation.
std::string stray_text(const server::Exchange& exchange);

std::string lookup_text(const server::Exchange& exchange);
std::string effect_text(const server::Effect& effect);  // "made bk_1"
std::string departure_text(const server::Exchange& exchange, bool owed);
std::string our_end_text(const server::Exchange& exchange);
std::string outcome_text(const OutcomeLine& line);
std::string signal_text(const server::ClientSignal& signal);
std::string spell_text(const server::ListenerSpell& spell);
std::string unheard_text(const OutcomeLine& line);  // about a call that never came

}  // namespace mishap::client_tests
