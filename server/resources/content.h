#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "server/journal/fingerprint.h"
#include "server/resources/json_text.h"

namespace mishap::server {

// A request body, understood as far as its type allows.
struct Content {
  enum class Kind { None, Json, BadJson, Form, Multipart, Other };

  Kind kind = Kind::None;
  std::size_t bytes = 0;
  std::shared_ptr<const JsonValue> value;  // of Json and Form (an object of texts), else null
  std::string complaint;                   // of BadJson: what is wrong, one line
  // Of what it means, equal for bodies that mean the same: JSON with sorted names and no blanks, a
  // form sorted, a multipart body without its boundary, else the bytes. None: there is no body.
  Fingerprint meaning;
  std::vector<NameValue> members;  // top-level scalars as text, in order

  const std::string* member(std::string_view name) const;
};

// Reads a body by its Content-Type (empty: none was sent). Any bytes are fine.
// A body that says it is a form and is a JSON object is read as JSON: what `curl -d '{..}'` sends.
Content read_content(std::string_view content_type, std::string_view body);

// A part of a JSON body as a body of its own.
Content json_content(JsonValue value);

// Name and value pairs of a form or query: "+" is a blank, %xx a byte, broken escapes stay.
std::vector<NameValue> read_form(std::string_view text);

// %xx decoded; with `plus` also "+". Broken escapes stay as they are.
std::string percent_decoded(std::string_view text, bool plus);

// A scalar as people write it in a query: true, 12, null, or the text itself.
std::string scalar_text(const JsonValue& value);

}  // namespace mishap::server
