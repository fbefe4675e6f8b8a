#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mishap/scenario.h"
#include "mishap/units.h"
#include "server/engine/engine.h"

namespace mishap::server {

// Turns the bytes of one connection into requests, one after the other; what comes early
// (pipelining) waits in the buffer. Does no I/O. Memory is bounded by the limits. Never throws and
// never asserts on what a client sends.
class RequestReader {
 public:
  enum class Progress {
    NeedMore,
    Done,
    Rejected,  // rejection() says why; this connection cannot be read any further
  };

  explicit RequestReader(const scenarios::Limits& limits);
  ~RequestReader();
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;

  // Room for bytes from the socket, then how many came and when. The room is the thread's, so that
  // a connection that waits holds none: what was put there is committed before anybody else reads.
  // The first of the bytes may have been noticed before they were read; what belongs to a request
  // behind this one was there when it was read, and no earlier for all that is known.
  std::span<char> room();
  void commit(std::size_t bytes, Duration now) { commit(bytes, now, now); }
  void commit(std::size_t bytes, Duration now, Duration noticed);

  // Whether a byte of the next request has come (empty lines before it do not count).
  bool started() const;
  Duration first_byte() const;
  Duration last_byte() const;

  Progress parse_head();
  const RequestHead& head() const;  // after Done, until next()
  RequestHead take_head();          // its texts and fields are gone then
  bool is_head_method() const;
  int minor_version() const;
  bool asks_for_keep_alive() const;
  bool expects_continue() const;
  std::optional<std::uint64_t> content_length() const;

  // Takes body bytes out of the buffer until the body is whole or holds `limit` bytes (both Done).
  Progress parse_body(std::uint64_t limit);
  // The same, thrown away; Done when the body is over.
  Progress skip_body();
  bool is_body_over() const;
  std::uint64_t body_bytes() const;  // kept by parse_body
  std::string take_body();

  // Why reading had to stop; reject() is for reasons that lie outside the bytes.
  const Rejection& rejection() const;
  Progress reject(StatusCode status, std::string reason);
  bool is_rejected() const;

  // The request is done with; the next one may begin. Its body must be over.
  void next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mishap::server
