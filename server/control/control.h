#pragma once

#include <functional>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "mishap/clock.h"
#include "mishap/error.h"
#include "server/control/judge.h"
#include "server/control/run_book.h"

namespace mishap::server::control {

struct ControlSettings {
  std::string address = "127.0.0.1";  // of an interface
  std::string advertise{};            // what its URL names instead
  Port port = 0;                      // 0: any
  std::string token{};                // empty: none is asked for; only right on loopback
  std::string version{};
  RunLimits limits{};
};

// The control API on a port and threads of its own. Destroying it ends the runs that are left; call
// it after the last of its callers' `end_all` has returned.
class Control {
 public:
  virtual ~Control() = default;
  virtual const std::string& url() const = 0;
};

// `maker` and `clock` are borrowed. `end_all` is called, on another thread, by POST /v1/end: it
// should only tell somebody.
tl::expected<std::unique_ptr<Control>, Error> start_control(const ControlSettings& settings,
                                                            RunMaker& maker, const Clock& clock,
                                                            std::function<void()> end_all);

}  // namespace mishap::server::control
