#pragma once

#include <string>
#include <string_view>

#include "mishap/journal.h"

// What may be kept of a request. A secret is replaced by scheme, salted hash and length, so that
// two requests can be compared and nothing can be read back.
namespace mishap::server {

// Whether a header or query parameter of this name carries a secret.
bool is_secret_name(std::string_view name);

// "sha256:<12 hex> length n".
std::string masked(std::string_view secret, std::string_view salt);

// The field as it may be kept; a secret keeps its scheme in front ("Bearer sha256:... length 36").
// Long values are cut and say so.
KeptField kept_header(std::string_view name, std::string_view value, std::string_view salt);
std::string kept_header_value(std::string_view name, std::string value, std::string_view salt);

// The target with the values of secret query parameters masked, capped.
std::string kept_target(std::string_view target, std::string_view salt);

// Bytes that could not be read as a request, with the secrets of their header-like lines masked.
std::string kept_raw(std::string_view raw, std::string_view salt);

}  // namespace mishap::server
