#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mishap/node.h"
#include "server/resources/content.h"

namespace mishap::server {

// The JSON Schema of a resource's items, made ready once. A schema that is itself wrong accepts
// everything: `lint` is where that is said.
class ItemSchema {
 public:
  explicit ItemSchema(const Node& node);
  ~ItemSchema();
  ItemSchema(ItemSchema&&) noexcept;
  ItemSchema& operator=(ItemSchema&&) noexcept;

  bool exists() const { return impl_ != nullptr; }

  // What is wrong with the item, naming the member ("reference: is required"), or nothing.
  std::optional<std::string> complaint(const nlohmann::json& item) const;
  std::optional<std::string> complaint(const JsonValue& item) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;  // null: no schema
};

}  // namespace mishap::server
