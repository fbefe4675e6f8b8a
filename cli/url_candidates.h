#pragma once

#include <string>
#include <vector>

#include "mishap/parameters.h"

namespace mishap::cli {

// A place that the client may take its base URL from, since it holds one now.
struct UrlCandidate {
  std::string name;      // of a variable, or the argument as it may be shown
  std::string url;       // scheme, host and port alone: the rest may be secret
  bool variable = true;  // else an argument
};

// Variables and arguments that hold an http(s) URL, the most telling names first, at most 8.
std::vector<UrlCandidate> url_candidates(const std::vector<std::string>& command,
                                         const std::vector<NameValue>& environment);

// Lines that say what to try; empty where there is no candidate.
std::string candidates_text(const std::vector<UrlCandidate>& candidates);

// This process's own environment.
std::vector<NameValue> own_environment();

}  // namespace mishap::cli
