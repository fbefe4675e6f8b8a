#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "mishap/scenario.h"
#include "server/engine/engine.h"

// What HTTP/1.1 demands of a request head beyond its grammar, and what can be said of bytes before
// the grammar is asked. Pure functions over the raw bytes of one head.
namespace mishap::server {

struct Refusal {
  StatusCode status = 400;
  const char* reason = "";
};

// Of the bytes that have come so far: no request can begin so, or it is too long already.
std::optional<Refusal> refuse_start(std::string_view bytes, const scenarios::Limits& limits);

// Of a request line that is no HTTP/1.0 or HTTP/1.1 request line: why.
Refusal explain_request_line(std::string_view line);

// One past the blank line that ends the head, searched from `from`; a bare LF ends a line as well,
// so that a head which is wrong in just that is refused and not waited for.
std::optional<std::size_t> end_of_head(std::string_view bytes, std::size_t from);

// Of a whole head, by its raw bytes and by its fields.
std::optional<Refusal> refuse_head(std::string_view raw);
std::optional<Refusal> refuse_fields(int minor_version, const std::vector<NameValue>& headers);

bool has_token(std::string_view list, std::string_view token);
bool equal_names(std::string_view a, std::string_view b);

}  // namespace mishap::server
