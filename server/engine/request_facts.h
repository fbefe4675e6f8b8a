#pragma once

#include <string>
#include <string_view>

#include "mishap/journal.h"
#include "mishap/scenario.h"
#include "server/engine/engine.h"
#include "server/engine/request_view.h"

namespace mishap::server {

// What the journal keeps of a head; secrets are masked with the run's salt.
RequestFacts head_facts(const RequestHead& head, const Target& target, std::string_view salt);

// The body's part of it. `content` is what was read from `body`; of the view the head is looked at.
void add_body_facts(RequestFacts& facts, const RequestView& view, const Content& content,
                    std::string_view body, std::string_view salt);

// Of method, target and what the body means; equal for requests that say the same.
std::string content_hash_of(const RequestView& view, const Content& content, std::string_view salt);

// Method, path and query of a request that could not be read, as far as its first line tells.
RequestFacts rejected_facts(const Rejection& rejection, std::string_view salt);

// The idempotency key that a request carries: in the header of the policy, else in one of the two
// names in use. Empty: none.
std::string key_of(const RequestView& view, std::string_view policy_header);

// A key as the journal keeps it: in the clear, since checks compare keys. One that is longer than
// 255 is cut and told apart by its hash.
std::string kept_key(std::string_view key);

// The value that `operation: {from: "header X"}` or "body f" names; empty: not there.
std::string configured_identifier(const RequestView& view, std::string_view operation_from);
bool is_in_header(std::string_view operation_from);

}  // namespace mishap::server
