#include "server/faults/answer.h"

namespace mishap::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_named(const NameValue& field, std::string_view name) {
  return is_same_field(field.name, name);
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool is_same_field(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool has_field(const std::vector<NameValue>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [name](const NameValue& field) { return is_named(field, name); });
}

void set_field(std::vector<NameValue>& fields, std::string_view name, std::string value) {
  std::erase_if(fields, [name](const NameValue& field) { return is_named(field, name); });
  fields.push_back({std::string(name), std::move(value)});
}

bool can_have_body(const SendAnswer& answer) {
  return answer.status >= 200 && answer.status != 204 && answer.status != 205 &&
         answer.status != 304;
}

std::string problem_body(StatusCode code) {
  return R"({"type":"about:blank","title":")" + std::string(reason_phrase(code)) +
         R"(","status":)" + std::to_string(code) + "}";
}

Steps answer_before_body(Steps steps, SendAnswer answer) {
  const auto first = std::find_if_not(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Wait>(step) || std::holds_alternative<WaitForEvent>(step);
  });
  const bool asked = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Send>(step);
  });
  if (asked) set_field(answer.headers, "Connection", "close");
  steps.erase(first, steps.end());
  steps.emplace_back(std::move(answer));
  steps.emplace_back(Drain{});
  steps.emplace_back(Finish{});
  return steps;
}

Steps answer_before_effect(Steps steps, SendAnswer answer) {
  const auto apply = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Apply>(step);
  });
  if (apply == steps.end()) return steps;
  steps.erase(apply, steps.end());
  steps.emplace_back(std::move(answer));
  steps.emplace_back(Finish{});
  return steps;
}

Steps end_with_close(Steps steps) {
  for (Step& step : steps) {
    if (std::holds_alternative<Finish>(step)) step = CloseConnection{};
  }
  return steps;
}

bool breaks_the_line(std::string_view value) {
  return value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

void validate_fields(const std::vector<NameValue>& fields, const std::string& owner,
                     const SourceSpan& span, Diagnostics& diagnostics) {
  for (const NameValue& field : fields) {
    if (!is_token(field.name)) {
      diagnostics.push_back(
          {Severity::Error, owner + ": \"" + field.name + "\" is no name of a field", span});
    }
    if (breaks_the_line(field.value)) {
      diagnostics.push_back({Severity::Error,
                             owner + ": the value of \"" + field.name + "\" holds a line break",
                             span});
    }
  }
}

}  // namespace mishap::server
