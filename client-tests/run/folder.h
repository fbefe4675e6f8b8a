#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"

// Files and folders of stored runs: readable by their owner only, since they tell what a client
// said. Links are not followed when writing.
namespace mishap::client_tests {

// An error about a file as a whole, or about a line of it.
Error file_error(ErrorCode code, const std::string& path, std::string message, int line = 0,
                 int column = 0);

// With the folders above it; one that is there already is taken as it is.
tl::expected<void, Error> make_folder(const std::string& path);

// Whole or not at all: a reader never sees a part.
tl::expected<void, Error> write_file(const std::string& path, std::string_view text);

tl::expected<std::string, Error> read_file(const std::string& path);

// The same in pieces of whole lines, for what is too large to be in memory at once: `begin` is told
// how many bytes there are, then `add` gets the lines. Its error ends it.
struct LineReader {
  std::function<void(std::size_t bytes)> begin;
  std::function<tl::expected<void, Error>(std::string_view lines)> add;
};
tl::expected<void, Error> read_lines(const std::string& path, const LineReader& reader);

// A name for a folder from any text: letters, digits, dot, dash and underscore, at most 80 of them,
// not hidden, and other than all in `taken` (whatever their case), to which it is added.
std::string folder_name(std::string_view text, std::vector<std::string>& taken);

// Whether it names something right in a folder, so that it cannot lead out of it.
bool is_plain_name(std::string_view name);

}  // namespace mishap::client_tests
