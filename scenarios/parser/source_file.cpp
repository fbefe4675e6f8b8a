#include "scenarios/parser/source_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace mishap::scenarios {

namespace {

Source source_of(std::string name, std::string text, bool is_file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return std::make_shared<const SourceText>(SourceText{std::move(name), std::move(text), is_file});
}

}  // namespace

Source make_source(std::string name, std::string text) {
  return source_of(std::move(name), std::move(text), false);
}

std::string path_beside(const Node& node) {
  const std::filesystem::path path(node.text);
  if (path.is_absolute() || !node.span.source) return node.text;
  return (std::filesystem::path(node.span.source->name).parent_path() / path)
      .lexically_normal()
      .string();
}

tl::expected<Source, std::string> read_source(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    return tl::unexpected(fmt::format("there is no file \"{}\"", path));
  }
  if (std::filesystem::is_directory(status)) {
    return tl::unexpected(fmt::format("\"{}\" is a folder, not a file", path));
  }
  // A pipe or a device could be endless.
  if (!std::filesystem::is_regular_file(status)) {
    return tl::unexpected(fmt::format("\"{}\" is not a regular file", path));
  }
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return tl::unexpected(fmt::format("cannot read \"{}\": {}", path, failed.message()));
  if (size > kMostFileBytes) {
    return tl::unexpected(
        fmt::format("\"{}\" has {} bytes; a scenario file has at most 1 MiB", path, size));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(size))) {
    return tl::unexpected(fmt::format("cannot read \"{}\"", path));
  }
  return source_of(path, std::move(text), true);
}

}  // namespace mishap::scenarios
