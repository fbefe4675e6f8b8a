#include "server/resources/content.h"

#include <nlohmann/json.hpp>

#include "cmake/fuzz/fuzz.h"
#include "server/resources/batch.h"
#include "server/resources/decoded.h"
#include "server/resources/sketch.h"

// A request body: the first line of the input is its Content-Type (or coding), the rest the body.
// What is understood of it has one form: written again it is the same content.
namespace mishap::server {
namespace {

using fuzz::hold;

constexpr std::uint64_t kMost = 10'000;

void check_items(const Content& content) {
  const SentItems sent = read_items(content, {});
  hold(sent.items.empty() == !sent.complaint.empty(), "a batch has items, or it is said why not");
  std::vector<ItemAnswer> told;
  for (const SentItem& item : sent.items) {
    hold(item.content.member("idempotency_key") == nullptr, "a key is taken out of its item");
    told.push_back({{201, {}, to_text(*item.content.value), false}, {}, false});
  }
  hold(statuses_told(batch_answer(told, {}), {}).size() == told.size(), "each item has a result");
}

void check_content(std::string_view type, std::string_view body) {
  const Content content = read_content(type, body);
  using Kind = Content::Kind;
  hold(content.bytes == body.size(), "a body is as long as it is");
  hold((content.kind == Kind::None) == body.empty(), "only an empty body is none");
  hold((content.kind == Kind::BadJson) == !content.complaint.empty(), "bad JSON is complained of");
  hold((content.value != nullptr) == (content.kind == Kind::Json || content.kind == Kind::Form),
       "JSON and forms have a value");
  hold(body_kind(content).empty() == body.empty(), "a body has a kind");
  hold(sketch_members(content).size() <= 64, "a sketch is bounded");
  for (const NameValue& member : content.members) {
    hold(content.member(member.name) != nullptr, "a member is found by its name");
  }
  check_items(content);
  if (content.kind != Kind::Json) return;
  const Content again = read_content("application/json", to_text(*content.value));
  hold(again.kind == Kind::Json, "JSON that is written is JSON");
  hold(again.meaning == content.meaning, "and means the same");
}

void check_decoded(std::string_view body) {
  for (const char* coding : {"gzip", "deflate", "identity", "br"}) {
    const auto plain = decoded(coding, body, kMost);
    hold(!plain || plain->size() <= std::max<std::size_t>(kMost, body.size()),
         "what is decoded is bounded");
  }
  hold(decoded("identity", body, kMost) == std::string(body), "nothing is done to identity");
}

}  // namespace
}  // namespace mishap::server

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = mishap::fuzz::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const auto body = text.substr(std::min(line + 1, text.size()));
  mishap::server::check_content(text.substr(0, line), body);
  mishap::server::check_decoded(body);
  return 0;
}
