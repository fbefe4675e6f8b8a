#include "scenarios/parser/substitution.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "mishap/nearest_word.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/yaml_reader.h"

namespace mishap::scenarios {
namespace {

bool is_param_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), rest);
}

std::vector<std::string> names_of(const ParamNodes& params) {
  std::vector<std::string> names;
  for (const auto& param : params) names.push_back(param.first);
  return names;
}

Node* find(ParamNodes& params, std::string_view name) {
  for (auto& param : params) {
    if (param.first == name) return &param.second;
  }
  return nullptr;
}

// Defaults are put in as they stand; a `$name` in one would silently stay a text.
void refuse_nested(const Node& node, Problems& problems) {
  if (node.is_scalar() && node.text.starts_with('$') && is_param_name(node.text.substr(1))) {
    problems.last_error(node.span, "a default cannot be made of another parameter");
  }
  for (const Node& item : node.items) refuse_nested(item, problems);
  for (const auto& member : node.members) refuse_nested(member.second, problems);
}

void apply_setting(const NameValue& setting, const LoadOptions& options, ParamNodes& params,
                   Problems& problems) {
  const Source words = make_source("--set", setting.name + "=" + setting.value);
  Node* param = find(params, setting.name);
  if (param == nullptr) {
    if (options.pass_over_unknown_set) return;
    std::string message = unknown_word("parameter", setting.name, names_of(params));
    if (params.empty()) message += "; this file has no params";
    const auto length = static_cast<int>(std::max<std::size_t>(1, setting.name.size()));
    problems.error({words, 1, 1, length}, std::move(message));
    return;
  }
  auto value = read_yaml(make_source("--set " + setting.name, setting.value), problems);
  if (value) *param = std::move(*value);
}

// Passes over what this file has no default for: mishap.yaml speaks to all scenarios.
void apply_project(const std::vector<Node>& maps, ParamNodes& params) {
  for (const Node& map : maps) {
    for (const auto& [name, value] : map.members) {
      if (Node* param = find(params, name.text)) *param = value;
    }
  }
}

class Substitution {
 public:
  Substitution(const ParamNodes& params, Problems& problems)
      : params_(params), problems_(problems) {
    for (const auto& param : params_) sizes_.push_back(measure(param.second));
  }

  bool in_root(Node& root) {
    const TreeSize own = measure(root);
    nodes_ = own.nodes;
    text_bytes_ = own.text_bytes;
    for (auto& [key, value] : root.members) {
      if (key.text != "params") visit(value, 1);
      if (exhausted_) return false;
    }
    report_unused(root);
    return true;
  }

 private:
  void visit(Node& node, int depth) {
    if (exhausted_) return;
    for (Node& item : node.items) visit(item, depth + 1);
    for (auto& member : node.members) visit(member.second, depth + 1);
    if (node.is_scalar() && node.text.starts_with('$')) replace(node, depth);
  }

  void replace(Node& node, int depth) {
    const std::string name = node.text.substr(1);
    if (name.starts_with('$')) {
      node.text.erase(0, 1);
      return;
    }
    if (!is_param_name(name)) return;
    for (std::size_t i = 0; i < params_.size(); ++i) {
      if (params_[i].first != name) continue;
      if (!affordable(sizes_[i], depth, node.span)) return;
      used_.insert(name);
      node = params_[i].second;
      return;
    }
    std::string message = unknown_word("parameter", name, names_of(params_));
    if (params_.empty()) message += "; this file has no params (a dollar sign is written $$)";
    problems_.last_error(node.span, std::move(message));
  }

  bool affordable(const TreeSize& size, int depth, const SourceSpan& span) {
    nodes_ += size.nodes;
    text_bytes_ += size.text_bytes;
    exhausted_ = nodes_ > TreeLimits::kNodes || text_bytes_ > TreeLimits::kTextBytes ||
                 depth + size.depth > TreeLimits::kDepth;
    if (exhausted_) {
      problems_.error(
          span,
          fmt::format("with its parameters the file unfolds to more than {} values, {} levels "
                      "or {} MiB of text",
                      TreeLimits::kNodes, TreeLimits::kDepth, TreeLimits::kTextBytes >> 20U));
    }
    return !exhausted_;
  }

  void report_unused(const Node& root) {
    const Node* params = root.find("params");
    if (params == nullptr) return;
    for (const auto& member : params->members) {
      if (used_.find(member.first.text) == used_.end()) {
        problems_.warning(member.first.span,
                          fmt::format("the parameter \"{}\" is never used", member.first.text));
      }
    }
  }

  const ParamNodes& params_;
  Problems& problems_;
  std::vector<TreeSize> sizes_;
  std::set<std::string> used_;
  std::size_t nodes_ = 0;
  std::size_t text_bytes_ = 0;
  bool exhausted_ = false;
};

}  // namespace

ParamNodes read_param_nodes(const Node& root, const LoadOptions& options, Problems& problems) {
  ParamNodes params;
  const Node* written = root.find("params");
  if (written != nullptr && !written->is_map() && !written->is_null()) {
    problems.error(written->span, "\"params\" is a map: {name: default}");
  }
  if (written != nullptr) {
    for (const auto& [name, value] : written->members) {
      if (!is_param_name(name.text)) {
        problems.error(
            name.span,
            "a parameter's name is lower case letters, digits and \"_\", no digit first");
      } else {
        refuse_nested(value, problems);
        params.emplace_back(name.text, value);
      }
    }
  }
  apply_project(options.project.params, params);
  for (const NameValue& setting : options.set) apply_setting(setting, options, params, problems);
  return params;
}

bool substitute(Node& root, const ParamNodes& params, Problems& problems) {
  return Substitution(params, problems).in_root(root);
}

}  // namespace mishap::scenarios
