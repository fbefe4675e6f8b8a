#include "docs/examples/extending/tally_format.h"

#include <map>

// One line for each kind of verdict, for a chat message.
namespace mishap::reports {

std::string render_tally(const client_tests::SuiteVerdict& verdict, const client_tests::Suite&,
                         const RenderOptions&) {
  std::map<std::string, std::size_t> counts;
  for (const auto& one : verdict.cases) ++counts[std::string(to_string(one.verdict))];
  std::string text;
  for (const auto& [word, count] : counts) text += word + " " + std::to_string(count) + "\n";
  return text;
}

}  // namespace mishap::reports
