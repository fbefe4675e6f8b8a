#pragma once

#include <memory>
#include <utility>

#include "server/engine/engine.h"
#include "server/wire/io_thread.h"

namespace mishap::server {

// Has the engine write down what has ended, behind all that is ready on this I/O thread now:
// whoever waits for an answer comes first. I/O thread only.
class Settling : public std::enable_shared_from_this<Settling> {
 public:
  Settling(IoThread& io, std::shared_ptr<Engine> engine) : io_(io), engine_(std::move(engine)) {}

  void soon() {
    if (std::exchange(is_asked_, true)) return;
    io_.post([self = shared_from_this()] {
      self->is_asked_ = false;
      self->engine_->settle();
    });
  }

 private:
  IoThread& io_;
  std::shared_ptr<Engine> engine_;
  bool is_asked_ = false;
};

}  // namespace mishap::server
