#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/source_span.h"

namespace mishap {

// Who can put it right decides the grade: an Error is the user's or the environment's. A client's
// misbehaviour is a Finding and a broken invariant of ours is an assertion; neither is an Error.
enum class ErrorCode {
  BadInput,     // a file or a word of the command line is wrong: exit 3
  NotFound,     // a file, a name, a client is missing: exit 3
  Environment,  // a port, a folder, a process could not be had: exit 4
  Internal,     // should not happen: exit 4
};

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;  // what is wrong and where, one line, no trailing full stop
  SourceSpan span;      // line 0 where there is no place in a file
  std::string hint;     // what to do; may be empty
};

enum class Severity { Error, Warning };

// One thing wrong with a scenario. All of a file's are collected and shown at once.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;
  SourceSpan span;
};

using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& diagnostics);

// "file:line:column: message" and below it the line with a caret, tabs shown as one space, what a
// terminal would obey as "?", in the message as printable() has it. Ends with a newline.
std::string render(const Diagnostic& diagnostic);
std::string render(const Error& error);

}  // namespace mishap
