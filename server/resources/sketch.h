#pragma once

#include <string_view>
#include <vector>

#include "mishap/journal.h"
#include "server/resources/content.h"

namespace mishap::server {

// "json", "form", "multipart", "other", "bad json"; empty: no body.
std::string_view body_kind(const Content& content);

// The top-level members of a JSON object (of the first object, where the body is a list of them) or
// of a form, each once: what a vendor could be described from, without a word of what was said. At
// most 64; names that are no plain words of up to 64 letters are left out, since a map may be keyed
// by what is nobody's business (addresses, tokens).
std::vector<MemberSketch> sketch_members(const Content& content);

}  // namespace mishap::server
