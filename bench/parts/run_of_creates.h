#pragma once

#include <mishap/recording.h>

// A recording to ask about, made by the engine itself: creates of which each is refused with 503
// once and then carried out, under its key, by a client that tells the truth.
namespace mishap::bench {

client_tests::Recording run_of_creates(int operations);
client_tests::Recording control_of_creates(int operations);

}  // namespace mishap::bench
