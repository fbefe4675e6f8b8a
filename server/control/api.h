#pragma once

#include <functional>
#include <string>

#include "server/control/call.h"
#include "server/control/guard.h"
#include "server/control/run_book.h"

namespace mishap::server::control {

// The calls of the control API -> their answers. Thread-safe; knows no socket.
class Api {
 public:
  // `book` is borrowed. `end_all`: what POST /v1/end does.
  Api(RunBook& book, Doors doors, std::string version, std::function<void()> end_all);

  Reply answer(const Call& call);

 private:
  tl::expected<Reply, Problem> route(const Call& call);
  tl::expected<Reply, Problem> route_run(const Call& call, const std::string& id,
                                         const std::string& what);
  tl::expected<Reply, Problem> begin(const Call& call);
  tl::expected<Reply, Problem> take_outcomes(const Call& call, const std::string& id);
  tl::expected<Reply, Problem> end(const Call& call, const std::string& id);
  Reply health();

  RunBook& book_;
  const Doors doors_;
  const std::string version_;
  const std::function<void()> end_all_;
};

}  // namespace mishap::server::control
