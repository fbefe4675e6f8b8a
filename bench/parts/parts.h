#pragma once

#include <cstdint>
#include <string>

// What mishap is made of, measured part by part: each function names its benchmarks to the library.
// A name is "part/what", and the tables of bench/run are made of these names.
namespace mishap::bench {

struct Extent {
  // Requests that an engine decides in one repetition. Fixed, since an engine remembers all of
  // them, and the memory is not what is measured.
  std::int64_t requests = 50'000;
  int operations = 300;  // of the recording that checks and the journal are asked about
};

void add_reading();                        // a scenario from its text; lint
void add_deciding(const Extent& extent);   // the engine's moments
void add_sending();                        // steps to bytes
void add_recording(const Extent& extent);  // the journal
void add_judging(const Extent& extent);    // each check

// A scenario with so many rules, which are looked at and apply to nothing.
std::string scenario_with_rules(int rules);

}  // namespace mishap::bench
