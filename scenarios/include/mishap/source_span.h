#pragma once

#include <memory>
#include <string>

namespace mishap {

// A file as it was read: its name as the user wrote it (or "shipped:core/x.yaml" for one that is
// compiled in) and its whole text, kept so that an error can show the line it is about.
struct SourceText {
  std::string name;
  std::string text;
  bool is_file = false;  // was opened here; else it was handed in, whatever its name looks like
};

// A place in a source. Lines and columns count from 1; a column counts bytes of UTF-8, as
// compilers print it. Line 0 means "the file as a whole".
struct SourceSpan {
  std::shared_ptr<const SourceText> source;  // null where the words came from the command line
  int line = 0;
  int column = 0;
  int length = 1;
};

}  // namespace mishap
