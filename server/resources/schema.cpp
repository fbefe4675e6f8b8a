// The only file that names valijson.
#include "server/resources/schema.h"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace mishap::server {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

// ["<root>", "[traveller]", "[name]"] -> "traveller.name".
std::string place(const std::vector<std::string>& context) {
  std::string path;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string word = context[i];
    if (word.size() > 2 && word.front() == '[') word = word.substr(1, word.size() - 2);
    path += (path.empty() ? "" : ".") + word;
  }
  return path.empty() ? "the body" : path;
}

}  // namespace

struct ItemSchema::Impl {
  valijson::Schema schema;
  // Of the library's results the last is the outermost ("properties are wrong"), the first the
  // cause.
  std::optional<std::string> complaint(const nlohmann::json& item) const {
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(schema, NlohmannJsonAdapter(item), &results)) return std::nullopt;
    valijson::ValidationResults::Error error;
    if (!results.popError(error)) return "the body does not fit the schema";
    return fmt::format("{}: {}", place(error.context), error.description);
  }
};

ItemSchema::ItemSchema(const Node& node) {
  if (node.is_null()) return;
  try {
    const auto document = nlohmann::json::parse(to_json(node));
    auto impl = std::make_unique<Impl>();
    valijson::SchemaParser parser;
    parser.populateSchema(NlohmannJsonAdapter(document), impl->schema);
    impl_ = std::move(impl);
  } catch (const std::exception&) {
    impl_ = nullptr;
  }
}

ItemSchema::~ItemSchema() = default;
ItemSchema::ItemSchema(ItemSchema&&) noexcept = default;
ItemSchema& ItemSchema::operator=(ItemSchema&&) noexcept = default;

std::optional<std::string> ItemSchema::complaint(const JsonValue& item) const {
  if (!impl_) return std::nullopt;
  return complaint(nlohmann::json(item));
}

std::optional<std::string> ItemSchema::complaint(const nlohmann::json& item) const {
  if (!impl_) return std::nullopt;
  try {
    return impl_->complaint(item);
  } catch (const std::exception& failure) {
    return fmt::format("the body could not be checked: {}", failure.what());
  }
}

}  // namespace mishap::server
