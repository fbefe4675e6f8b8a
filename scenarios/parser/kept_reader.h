#pragma once

#include "mishap/client.h"
#include "scenarios/parser/map_view.h"
#include "scenarios/parser/problems.h"

namespace mishap::scenarios {

// What a client keeps and can be asked about: its logs, what must not stand in them, its dead
// letters, its counters. Paths never lead out of its folders.
void read_kept(const MapView& map, Client& client, Problems& problems);

}  // namespace mishap::scenarios
