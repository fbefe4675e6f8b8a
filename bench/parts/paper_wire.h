#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <mishap/scenario.h>

#include "server/engine/engine.h"

// An engine asked as the wire would ask it, without sockets: every step is done at once and as it
// was planned.
namespace mishap::bench {

struct Call {
  server::RequestHead head;
  std::string body;
};

Call get(const std::string& target);
// A create of about 180 bytes, like those of the load over the wire.
Call create(const std::string& target, const std::string& reference, const std::string& key = {});

// Aborts, since a scenario of ours that cannot be read leaves nothing to measure.
scenarios::Scenario loaded(const std::string& yaml);
std::unique_ptr<server::Engine> engine_of(const scenarios::Scenario& scenario);

std::uint64_t connect(server::Engine& engine, const std::string& api, Duration now);
// All moments of one exchange, in that instant. Quick: the receipt is without what the engine only
// stores, so that nothing but the engine takes time.
enum class Receipts { Quick, Whole };
void decide(server::Engine& engine, std::uint64_t connection, Call call, Duration now,
            Receipts receipts);

}  // namespace mishap::bench
