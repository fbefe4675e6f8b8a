#include "server/plan/step_printer.h"

namespace mishap::server {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\r') {
      out += "\\r";
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string_view name_of_part(Part part) {
  switch (part) {
    case Part::Interim:
      return "interim";
    case Part::Head:
      return "head";
    case Part::Body:
      return "body";
  }
  return "?";
}

// Bytes below TLS are no text.
std::string in_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string text_of(const scenarios::Count& count) {
  if (count.every != 0) return "every " + std::to_string(count.every);
  if (count.first == count.last) return std::to_string(count.first);
  const bool open = count.last == scenarios::Count{}.last;
  return std::to_string(count.first) + ".." + (open ? "" : std::to_string(count.last));
}

struct Print {
  std::string operator()(const Handshake& step) const {
    std::string out = "handshake";
    if (step.certificate != Certificate::Good)
      out += " " + std::string(to_string(step.certificate));
    if (step.cut) out += " cut at " + mishap::to_string(*step.cut);
    if (step.instead) out += " instead " + in_hex(*step.instead);
    return out;
  }
  std::string operator()(const ReadBody& step) const {
    std::string out = "read_body";
    if (step.limit != ReadBody{}.limit) out += " " + format_bytes(step.limit);
    if (step.slice != 0) {
      out += " by " + format_bytes(step.slice) + " every " + format_duration(step.gap);
    }
    return out;
  }
  std::string operator()(const Wait& step) const { return "wait " + format_duration(step.length); }
  std::string operator()(const WaitForEvent& step) const {
    return "wait_for_event " + std::to_string(step.event) + " up to " + format_duration(step.most);
  }
  std::string operator()(const Apply& step) const {
    std::string out = "apply";
    for (const SpoiledItems& items : step.spoiled) {
      out += " items " + text_of(items.which) + " told " + std::to_string(items.status);
      if (!items.retry_after.empty()) out += " retry after " + items.retry_after;
      if (items.carried_out) out += " all the same";
    }
    return out;
  }
  std::string operator()(const SendAnswer& step) const {
    std::string out = "answer " + std::to_string(step.status);
    for (const NameValue& field : step.headers) out += " [" + field.name + ": " + field.value + "]";
    return out + " " + quoted(step.body) + (step.head_only ? " head only" : "");
  }
  std::string operator()(const Send& step) const {
    std::string out = "send " + std::string(name_of_part(step.part)) + " " + quoted(step.bytes);
    if (step.slice != 0) {
      out += " by " + format_bytes(step.slice) + " every " + format_duration(step.gap);
    }
    return out;
  }
  std::string operator()(const SendMany& step) const {
    std::string out = "send " + std::string(name_of_part(step.part)) + " " + quoted(step.unit);
    out += step.times == kEndless ? " endlessly" : " x " + std::to_string(step.times);
    if (step.gap != Duration{}) out += " every " + format_duration(step.gap);
    return out;
  }
  std::string operator()(const CloseConnection& step) const {
    const std::string out = step.half ? "half_close_connection" : "close_connection";
    return step.notifies ? out : out + " without notice";
  }
  std::string operator()(const SignalClient& step) const {
    std::string out = "signal_client " + step.signal;
    if (step.restart_after) out += ", restart " + format_duration(*step.restart_after);
    return out;
  }
  std::string operator()(const Finish& step) const {
    if (!step.rest) return "finish";
    return "finish, rest " + format_duration(step.rest->length) +
           (step.rest->reset ? " then rst" : "");
  }
  template <typename Other>
  std::string operator()(const Other& step) const {
    return std::string(name_of(Step(step)));
  }
};

}  // namespace

std::string print(const Steps& steps) {
  if (steps.empty()) return "(nothing)";
  std::string out;
  for (const Step& step : steps) {
    if (!out.empty()) out += " | ";
    out += std::visit(Print{}, step);
  }
  return out;
}

}  // namespace mishap::server
