#include "server/resources/model.h"

namespace mishap::server {

std::unique_ptr<Model> make_model(std::string_view name, const Params& params,
                                  std::uint64_t event) {
  if (name == "quota") return make_quota(params);
  if (name == "capacity") return make_capacity(params);
  if (name == "barrier") return make_barrier(params, event);
  return nullptr;
}

}  // namespace mishap::server
