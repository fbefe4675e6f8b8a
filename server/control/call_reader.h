#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "server/control/call.h"
#include "server/control/problem.h"

namespace mishap::server::control {

inline constexpr std::uint64_t kMostHead = 16 * 1024;
inline constexpr std::uint64_t kMostBody = 1024 * 1024;
inline constexpr std::size_t kMostTarget = 1024;

// Bytes -> one call. Bounded: a head of 16 KiB, a body of 1 MiB however it is framed.
class CallReader {
 public:
  CallReader();
  ~CallReader();
  CallReader(const CallReader&) = delete;
  CallReader& operator=(const CallReader&) = delete;

  // Bytes that came; a problem where they are no call that is answered.
  std::optional<Problem> take(std::string_view bytes);
  bool is_done() const;
  bool wants_go_ahead();  // once, after a head with Expect: 100-continue
  Call call();            // when it is done

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t head_bytes_ = 0;  // that the parser has taken
  std::string waiting_;
  bool told_to_go_on_ = false;
};

}  // namespace mishap::server::control
