#pragma once

#include <vector>

#include "mishap/recording.h"
#include "mishap/scenario.h"

// Runs whose client somebody else started: nobody made a healthy control first, nobody knows which
// of the runs the client was meant to call.
namespace mishap::client_tests {

struct ServedRun {
  const scenarios::Scenario* scenario = nullptr;  // borrowed for the call
  Recording recording;
  bool only_control = false;  // a healthy run that was made to be the control
};

// What can be judged of them. A run that was made as a control, or else the first called run
// without faults, is the control of the runs against the same vendor; where there is none, each run
// is judged by what it saw itself. A run that no request came to, or none that its rules are about
// (so that it stayed healthy), is not applicable and says so.
Suite suite_of(std::vector<ServedRun> runs);

}  // namespace mishap::client_tests
