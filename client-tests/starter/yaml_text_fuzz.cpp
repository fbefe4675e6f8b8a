#include "client-tests/starter/yaml_text.h"

#include <algorithm>
#include <string>

#include "cmake/fuzz/fuzz.h"
#include "scenarios/parser/problems.h"
#include "scenarios/parser/source_file.h"
#include "scenarios/parser/yaml_reader.h"

// Words of strangers (ids, values of variables) that go into files made by mishap: the scalar is
// read as the text it was made of, whatever stands in it.
namespace mishap::client_tests {
namespace {

using fuzz::hold;

void check(const std::string& text, const std::string& scalar) {
  scenarios::Problems problems;
  const auto source = scenarios::make_source("made.yaml", "a: [" + scalar + ", b]\nc: d\n");
  const auto root = scenarios::read_yaml(source, problems);
  const bool is_ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  // What is no UTF-8 is refused by the reader; nothing of ASCII is.
  hold(root || !is_ascii, "a scalar of ASCII is read");
  if (!root) return;
  const Node* list = root->find("a");
  hold(list != nullptr && list->items.size() == 2, "a scalar stays one");
  hold(list->items[0].is_scalar() && list->items[0].text == text, "and is the text");
  hold(root->find("c") != nullptr && root->members.size() == 2, "what is behind it is behind it");
}

}  // namespace
}  // namespace mishap::client_tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(mishap::fuzz::text_of(data, size));
  mishap::client_tests::check(text, mishap::client_tests::yaml_text(text));
  mishap::client_tests::check(text, mishap::client_tests::yaml_word(text));
  return 0;
}
