#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mishap/scenario.h"
#include "server/engine/operation_table.h"
#include "server/engine/request_view.h"
#include "server/engine/router.h"
#include "server/resources/actions.h"
#include "server/resources/key_store.h"
#include "server/resources/schema.h"
#include "server/resources/store.h"

namespace mishap::server {

// What changes while a vendor works: of one lane, or of all where they share state.
struct VendorState {
  explicit VendorState(const scenarios::Api& api) : store(api) {}
  Store store;
  KeyStore keys;
  std::map<std::string, scenarios::Resource, std::less<>> any;  // what `any` has met, by path
};

// A request with what was found out about it.
struct Call {
  const RequestView& view;  // its body is read
  const Routed& routed;
  std::string key;  // in the header of the policy; empty: none
  std::string content_hash;
  std::uint64_t exchange = 0;
};

struct VendorAnswer {
  SendAnswer answer;
  std::optional<Outcome::Change> change;
  std::string collection;          // of the change, or of what is shown
  std::vector<std::string> shown;  // ids in the answer
  bool replayed = false;
};

// An api when it is well. Immutable, borrows the api.
class Vendor {
 public:
  Vendor(const scenarios::Api& api, std::string token);

  const scenarios::Api& api() const { return api_; }
  const Router& router() const { return router_; }
  const scenarios::IdempotencyPolicy* policy(const Routed& routed) const;
  // Whether the upstream answers this: all that has a path and is no route.
  bool asks_upstream(const Routed& routed) const;

  // The request is read: its key is taken, if it is one that the vendor would execute. False: it is
  // known already what comes of it.
  bool reserve(VendorState& state, const Call& call, Duration now) const;
  bool reserve_item(VendorState& state, const Call& item, Duration now) const;  // of such a batch
  // It takes effect.
  VendorAnswer apply(VendorState& state, const Call& call, Duration now) const;
  // The same where what it is about is done elsewhere: `work` is called if it is let in and not
  // answered from what is stored, and says whether it was executed.
  using Work = std::function<VendorAnswer(bool* executed)>;
  VendorAnswer apply(VendorState& state, const Call& call, Duration now, const Work& work) const;
  // An item of a batch that was let in. `covered`: by a key of the batch itself.
  VendorAnswer apply_item(VendorState& state, const Call& item, bool covered, Duration now) const;
  // What was carried out, once more, whatever its key says.
  VendorAnswer repeat(VendorState& state, const Call& call) const;
  // It will not, or has: a key that is still held is free again.
  void release(VendorState& state, const Call& call) const;

  // Where a read looks and what it could find; absent: it is no read of a collection.
  std::optional<Search> search_of(const Call& call, const VendorState& state) const;

 private:
  bool is_keyed(const Call& call) const;
  std::optional<SendAnswer> refusal(const Call& call) const;
  std::optional<SendAnswer> unauthorized(const RequestView& view) const;
  VendorAnswer execute_keyed(VendorState& state, const Call& call, Duration now,
                             const Work& work) const;
  VendorAnswer act(VendorState& state, const Call& call, bool* executed) const;
  VendorAnswer act_on_resource(VendorState& state, const Call& call, bool* executed) const;
  SendAnswer route_answer(const scenarios::Route& route, bool head_only) const;

  const scenarios::Api& api_;
  std::string token_;
  Router router_;
  std::vector<ItemSchema> schemas_;          // of the resources, in their order
  scenarios::IdempotencyPolicy any_policy_;  // of the vendor `any`
};

}  // namespace mishap::server
