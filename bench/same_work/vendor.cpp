#include "bench/same_work/vendor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace same_work {
namespace {

std::string_view phrase_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Not Implemented";
  }
}

void answer_json(Exchange& exchange, int status, std::string body) {
  exchange.answer.status = status;
  exchange.answer.fields = {{"Content-Type", "application/json", false}};
  exchange.answer.body = std::move(body);
}

void answer_problem(Exchange& exchange, int status, std::string_view why) {
  answer_json(exchange, status, fmt::format(R"({{"status":{},"detail":"{}"}})", status, why));
  exchange.answer.fields.front().value = "application/problem+json";
  exchange.note = why;
}

std::string_view last_segment(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The quotes of a structured-field string are no part of the key (RFC 8941 section 3.3.3).
std::string_view unquoted(std::string_view key) {
  const bool is_quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return is_quoted ? key.substr(1, key.size() - 2) : key;
}

std::string_view key_in(const Head& head) {
  const std::string_view key = head.field("Idempotency-Key");
  return unquoted(key.empty() ? head.field("X-Idempotency-Key") : key);
}

}  // namespace

void Vendor::learn(const Head& head, std::string_view body, Exchange& exchange) {
  Request& request = exchange.request;
  request.method = head.method;
  request.target = kept_target(head.target, salt_);
  request.path = decoded(head.target.substr(0, head.target.find('?')));
  request.minor_version = head.minor_version;
  request.fields.reserve(head.fields.size());
  for (const auto& [name, value] : head.fields) {
    request.fields.push_back(kept_field(name, value, salt_));
  }
  request.body_bytes = body.size();
  request.complete = true;
  request.key = key_in(head);
  content_ = reader_.read(head.field("Content-Type"), body);
  request.body = print_of(body);
  const std::size_t question = std::min(request.target.find('?'), request.target.size());
  request.content =
      print_of({request.method, request.path, std::string_view(request.target).substr(question),
                content_.canonical});
  request.kind = content_.kind;
  request.members = std::move(content_.sketch);
  request.reference = content_.reference;
  exchange.safe = head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS";
  exchange.idempotent = exchange.safe || head.method == "PUT" || head.method == "DELETE";
}

Print Vendor::scoped_key(const Request& request) {
  return request.key.empty() ? Print{} : print_of({request.method, request.path, request.key});
}

void Vendor::join(Exchange& exchange) {
  const Print key = exchange.safe ? Print{} : scoped_key(exchange.request);
  exchange.identity = operations_.join(
      {exchange.safe, key, exchange.request.content, std::move(content_.prints)}, &exchange.role);
}

void Vendor::handle(const Head& head, std::string_view body, Span now, Exchange& exchange) {
  learn(head, body, exchange);
  join(exchange);
  RuleHit hit;
  if (const Rule* rule = rules_.find(head.method, exchange.request.path, hit)) {
    exchange.rules.push_back(hit);
    answer_problem(exchange, rule->status, "a rule has it so");
    exchange.answer.is_a_rules = true;
  } else {
    act(now, exchange);
  }
  exchange.answer.body_bytes = exchange.answer.body.size();
  exchange.answer.print = print_of(exchange.answer.body);
}

void Vendor::act(Span now, Exchange& exchange) {
  if (exchange.request.method == "POST") {
    if (is_replayed(exchange)) return;
    create(now, exchange);
    keep_key(exchange);
  } else if (exchange.request.method == "GET") {
    read(exchange);
  } else {
    answer_problem(exchange, 501, "only POST and GET are known here");
  }
}

// A key is reserved while its request runs, then stands for its answer.
bool Vendor::is_replayed(Exchange& exchange) {
  if (exchange.request.key.empty()) return false;
  const auto [found, is_new] = keys_.try_emplace(
      scoped_key(exchange.request), Keyed{exchange.request.content, exchange.number, {}});
  if (is_new) return false;
  const Keyed& known = found->second;
  if (!(known.content == exchange.request.content)) {
    answer_problem(exchange, 422, "this key came with other content before");
  } else if (!known.answer) {
    answer_problem(exchange, 409, "a request with this key is still being processed");
  } else {
    exchange.answer = *known.answer;
    exchange.answer.fields.push_back({"Idempotency-Replayed", "true", false});
    exchange.answer.replayed = true;
  }
  return true;
}

void Vendor::keep_key(const Exchange& exchange) {
  if (exchange.request.key.empty()) return;
  const Print key = scoped_key(exchange.request);
  if (exchange.answer.status == 201) {
    keys_[key].answer = exchange.answer;
  } else {
    keys_.erase(key);
  }
}

void Vendor::create(Span now, Exchange& exchange) {
  if (!content_.is_object) return answer_problem(exchange, 400, "the body is no JSON object");
  const std::string& path = exchange.request.path;
  Collection& collection = collections_[path];
  std::string id = fmt::format("{}_{}", last_segment(path), ++collection.last_id);
  Item item{fmt::format(R"({{"id":"{}"{}{}}})", id, content_.members.empty() ? "" : ",",
                        content_.members),
            content_.reference};
  answer_json(exchange, 201, item.json);
  exchange.answer.fields.push_back({"Location", fmt::format("{}/{}", path, id), false});
  exchange.applied = now;
  exchange.effects.push_back(++last_effect_);
  operations_.add_effect(exchange.identity.operation, print_of({path, id}));
  log_.add(Effect{last_effect_, now, exchange.number, exchange.identity.operation, path, id,
                  item.reference});
  if (!item.reference.empty()) collection.by_reference.try_emplace(item.reference, id);
  collection.order.push_back(id);
  collection.items.emplace(std::move(id), std::move(item));
}

void Vendor::read(Exchange& exchange) {
  const std::string& path = exchange.request.path;
  const auto whole = collections_.find(path);
  if (whole != collections_.end()) return list(whole->second, exchange);
  const std::string parent = path.substr(0, path.rfind('/'));
  const std::string id(last_segment(path));
  exchange.looked_up = operations_.could_find(print_of({parent, id}), {});
  const auto found = collections_.find(parent);
  const auto item = found == collections_.end() ? decltype(found->second.items.begin()){}
                                                : found->second.items.find(id);
  if (found == collections_.end() || item == found->second.items.end()) {
    answer_problem(exchange, 404, "there is no such item");
  } else {
    answer_json(exchange, 200, item->second.json);
    exchange.found = !exchange.looked_up.empty();
  }
  if (!exchange.looked_up.empty()) exchange.role = "lookup";
}

// All, or the one with that reference.
void Vendor::list(const Collection& collection, Exchange& exchange) {
  std::string items;
  std::vector<std::uint64_t> filters;
  std::uint64_t total = 0;
  const auto put = [&](const std::string& id) {
    if (total++ > 0) items += ',';
    items += collection.items.at(id).json;
  };
  const auto query = query_of(exchange.request.target);
  for (const auto& [name, value] : query) {
    std::string as_member;
    append_text(as_member, value);
    filters.push_back(print_of({name, as_member}).low);
    const auto known = collection.by_reference.find(value);
    if (name == "reference" && known != collection.by_reference.end()) put(known->second);
  }
  if (query.empty()) std::ranges::for_each(collection.order, put);
  exchange.looked_up = operations_.could_find({}, filters);
  if (!exchange.looked_up.empty()) exchange.role = "lookup";
  exchange.found = !exchange.looked_up.empty() && total > 0;
  answer_json(exchange, 200, fmt::format(R"({{"items":[{}],"total":{}}})", items, total));
}

void Vendor::ended(const Exchange& exchange) {
  const Receipt& receipt = exchange.receipt;
  const bool is_whole = receipt.bytes_written == receipt.bytes_planned;
  operations_.ended(exchange.identity.operation, is_whole && exchange.answer.status / 100 == 2);
}

std::string bytes_of(const Answer& answer, bool keeps_alive, std::size_t* head_size) {
  std::string bytes;
  bytes.reserve(256 + answer.body.size());
  std::array<char, 24> digits;
  const auto put_number = [&](std::uint64_t number) {
    bytes.append(digits.data(),
                 std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  };
  bytes += "HTTP/1.1 ";
  put_number(static_cast<std::uint64_t>(answer.status));
  bytes += ' ';
  bytes += phrase_of(answer.status);
  for (const Field& field : answer.fields) {
    bytes += "\r\n";
    bytes += field.name;
    bytes += ": ";
    bytes += field.value;
  }
  if (!keeps_alive) bytes += "\r\nConnection: close";
  bytes += "\r\nContent-Length: ";
  put_number(answer.body.size());
  bytes += "\r\n\r\n";
  *head_size = bytes.size();
  bytes += answer.body;
  return bytes;
}

}  // namespace same_work
