#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mishap/error.h"

// Known findings: fails that a team has looked at and accepts for a while, so that CI can be turned
// on today. They come from the `known:` list of mishap.yaml and from mishap-known.yaml beside it.
namespace mishap::scenarios {

struct KnownFinding {
  std::string scenario;  // glob over names ("late-*"), with a slash over pack/name ("core/*")
  std::string check;     // glob over names of checks
  std::string reason;    // why it is accepted, for the report
  std::string until;     // "2027-01-31", the last day (UTC) on which it holds; days compare as text
  SourceSpan span;

  // Where it was written is no part of what it says.
  bool operator==(const KnownFinding& other) const {
    return scenario == other.scenario && check == other.check && reason == other.reason &&
           until == other.until;
  }
};

inline constexpr std::string_view kKnownFile = "mishap-known.yaml";

struct LoadedKnown {
  std::vector<KnownFinding> known;  // without those that are wrong
  Diagnostics diagnostics;
};

// Reads a file `known: [...]`. Never throws; bounded as load_scenario() is, and at 1000 entries.
LoadedKnown load_known(const std::string& path);
LoadedKnown load_known_text(const std::string& name, const std::string& text);

// The text of such a file; load_known() of it gives the same list, sorted by scenario and check.
std::string known_file_text(std::vector<KnownFinding> known);

// "*" stands for any characters, "?" for one.
bool matches_glob(std::string_view glob, std::string_view text);

// Whether an entry's `scenario` means this one.
bool means_scenario(const KnownFinding& known, std::string_view pack, std::string_view name);

// "2027-01-31" is a day of the calendar, "2027-02-30" and "soon" are not.
bool is_day(std::string_view text);

// The day `days` later; `day` must be one.
std::string day_after(std::string_view day, int days);

}  // namespace mishap::scenarios
