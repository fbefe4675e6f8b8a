#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "mishap/source_span.h"
#include "mishap/units.h"

namespace mishap::scenarios {

// Why no certificate can be for it, as one sentence; nothing: one can. A DNS name (RFC 1035 section
// 2.3.1, underscores allowed as everywhere), or an address without brackets. With `*.` in front it
// stands for one label (RFC 9525 section 6.3).
std::optional<std::string> why_no_certificate_name(std::string_view name);

// A host, as it is compared: in small letters, an IPv6 address in its one short form (RFC 5952).
std::string comparable_host(std::string_view host);

// A host that a user names: one that clients ask the run's proxy for.
struct NamedHost {
  std::string host;          // comparable, an IPv6 address without its brackets
  std::optional<Port> port;  // nothing: any
  SourceSpan span{};         // where it was said; without a source: on the command line
  std::string text() const;  // "api.vendor.com", "[::1]:8443"
};

// "api.vendor.com", "api.vendor.com:8443", "::1", "[::1]:8443"; or one sentence that says why not.
tl::expected<NamedHost, std::string> read_named_host(std::string_view text);

}  // namespace mishap::scenarios
