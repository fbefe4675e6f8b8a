#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"
#include "server/faults/fault.h"

// What of a vendor remembers other requests: a quota, a capacity, a barrier. One file per kind. A
// model is pure: it has no clock and no lock, every call brings its instant (run time), and equal
// calls make equal rulings. It belongs to one rule of a run and is shared by all lanes.
namespace mishap::server {

struct ModelCall {
  std::uint64_t exchange = 0;
  int lane = 0;
  std::string_view token;  // what Authorization says; empty: nothing
  std::string_view route;  // method and collection
  Duration now{};
};

class Model {
 public:
  virtual ~Model() = default;

  // Once for each exchange that the rule meets, where it would act.
  virtual Ruling on_request(const ModelCall& call) = 0;
  // The exchange is over. What is to stand in the journal now, where that has changed.
  virtual std::vector<Reading> on_end(std::uint64_t exchange) = 0;
};

// By the name in FaultDescriptor::model; `event` is the model's own. Null for an unknown name.
std::unique_ptr<Model> make_model(std::string_view name, const Params& params, std::uint64_t event);

// The parameters of a model are those of its fault.
std::unique_ptr<Model> make_quota(const Params& params);
std::unique_ptr<Model> make_capacity(const Params& params);
std::unique_ptr<Model> make_barrier(const Params& params, std::uint64_t event);

}  // namespace mishap::server
