#pragma once

#include <memory>

#include "server/plan/upstream.h"
#include "server/wire/task.h"

// How the executor has an upstream called, whoever does it. I/O thread only.
namespace mishap::server {

class OutboundCall {
 public:
  virtual ~OutboundCall() = default;
  // Once; the call outlives it. Ends within the upstream's timeout.
  virtual Task<UpstreamResult> perform() = 0;
  // The run is over: perform() ends soon.
  virtual void cancel() = 0;
};

class Upstreams {
 public:
  virtual ~Upstreams() = default;
  // A call to the one origin of the request's api.
  virtual std::unique_ptr<OutboundCall> call(UpstreamRequest request) = 0;
};

}  // namespace mishap::server
