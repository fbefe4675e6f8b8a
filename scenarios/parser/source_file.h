#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "mishap/node.h"
#include "mishap/source_span.h"

namespace mishap::scenarios {

constexpr std::size_t kMostFileBytes = 1024 * 1024;

using Source = std::shared_ptr<const SourceText>;

// The whole file, or one line that says why it cannot be had. Bounded: a file above 1 MiB, a folder
// or a device is not read.
tl::expected<Source, std::string> read_source(const std::string& path);

// The path that stands there, from the folder of the file in which it is written.
std::string path_beside(const Node& node);

// A text that was handed in, under a name; a byte order mark at its start is left out.
Source make_source(std::string name, std::string text);

}  // namespace mishap::scenarios
