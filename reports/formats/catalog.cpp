#include "reports/formats/formats.h"

namespace mishap::reports {

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats = {
      {"console", "report.txt", "what the terminal shows, without colours", "0.1", render_console},
      {"json", "report.json", "everything, for programs (docs/report.schema.json)", "0.1",
       render_json},
      {"junit", "report.xml", "JUnit XML, for CI", "0.1", render_junit},
  };
  return kFormats;
}

const Format* find_format(std::string_view name) {
  for (const auto& format : formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace mishap::reports
