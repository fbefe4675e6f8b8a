#pragma once

#include <string>

#include "mishap/source_span.h"

namespace mishap::scenarios {

// What a library's message about broken YAML means to the person who wrote the file.
struct YamlTrouble {
  std::string message;
  int column = 1;  // where the cause stands, on the same line
  int length = 1;
};

YamlTrouble explain_yaml_trouble(const SourceText& source, const SourceSpan& span,
                                 const std::string& library_message);

// `line` is where the second document's content was met.
std::string second_document_message(const SourceText& source, int line);

}  // namespace mishap::scenarios
