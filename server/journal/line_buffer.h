#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

namespace mishap::server {

// Text that grows at its end. A string would do the same; this one is told beforehand how much may
// come, and then every byte costs no more than its writing.
class LineBuffer {
 public:
  // Where `most` bytes may be written. What was is told by commit().
  char* room(std::size_t most) {
    if (size_ + most > capacity_) grow(size_ + most);
    return bytes_.get() + size_;
  }
  void commit(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  void append(std::string_view text) {
    commit(std::copy(text.begin(), text.end(), room(text.size())));
  }

  std::string_view text() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }

 private:
  void grow(std::size_t least) {
    const std::size_t capacity = std::max(2 * capacity_, least);
    std::unique_ptr<char[]> larger(new char[capacity]);
    std::copy_n(bytes_.get(), size_, larger.get());
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mishap::server
