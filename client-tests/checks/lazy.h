#pragma once

#include <mutex>
#include <optional>

namespace mishap::client_tests {

// A value that is made when it is first asked for, by whichever thread comes first.
template <typename T>
class Lazy {
 public:
  template <typename Make>
  const T& get(Make make) const {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace mishap::client_tests
