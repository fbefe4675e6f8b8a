#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mishap::server {

// Where records go that memory has no room for: a file of lines in the folder for temporary files
// (TMPDIR). It is made when the first line comes, and has no name, so that nothing of it is left
// however the process ends. One thread adds; what was flushed any thread may read.
class Spill {
 public:
  Spill() = default;
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  // Where the line (with its newline) now stands, in bytes from the start. Nothing: lines cannot be
  // kept any more, as on a full disk.
  std::optional<std::uint64_t> add(std::string_view line);
  // Lines that could not be kept, whether or not that was known when they came.
  std::uint64_t lost() const { return lost_; }
  // The line that stands there, without its newline.
  std::string line_at(std::uint64_t offset);

  // Makes all that was added so far readable; tells how many bytes that is.
  std::uint64_t flush();
  // Gives the first `bytes` in blocks of whole lines. False: they could not be read.
  bool read(std::uint64_t bytes, const std::function<void(std::string_view lines)>& take) const;

 private:
  bool open();
  bool is_written(std::string_view bytes);

  int file_ = -1;
  bool has_failed_ = false;
  std::string pending_;
  std::uint64_t pending_lines_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t written_ = 0;  // in the file
};

}  // namespace mishap::server
