#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mishap/error.h"

// What is wrong with a call, told as problem+json (RFC 9457).
namespace mishap::server::control {

// One thing wrong with a scenario: what, where, how bad.
struct ProblemDetail {
  std::string message;
  std::string source;  // name of the file or of the inline text
  int line = 0;        // from 1; 0: no place
  int column = 0;      // from 1, bytes of UTF-8
  bool warning = false;
};

struct Problem {
  int status = 500;
  std::string title;   // the kind of problem, the same for each of its kind
  std::string detail;  // this one: what is wrong and where
  std::string hint;    // what to do; may be empty
  std::vector<ProblemDetail> errors;
};

tl::unexpected<Problem> problem(int status, std::string detail, std::string hint = {});

// All that is wrong with a scenario: 422.
Problem problem_of(const Diagnostics& diagnostics);

// Nothing could be begun: a port, a descriptor, a folder was not to be had.
Problem problem_of(const Error& error);

// "Not Found"; an empty text for a status this API never gives.
std::string reason_phrase(int status);

std::string problem_json(const Problem& problem);

}  // namespace mishap::server::control
