#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mishap/recording.h>

// A batch as the journal has it: one exchange that stands for several calls. Whoever goes by
// operations finds each item as an attempt of its own (History::items).
namespace mishap::client_tests {

// It, or each of its items, belongs to an operation.
bool belongs_to_operations(const server::Exchange& exchange);

// How often it brings that operation; an exchange that is no batch brings its own once.
std::uint64_t times_brought(const server::Exchange& exchange, std::uint64_t operation);

// How often it says this.
std::uint64_t times_said(const server::Exchange& exchange, const std::string& content_hash);

// Each item as the exchange that a call of its own would have been.
std::vector<server::Exchange> items_as_calls(const server::Exchange& batch);

}  // namespace mishap::client_tests
