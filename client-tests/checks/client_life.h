#pragma once

#include <optional>

#include "client-tests/checks/check.h"

// Until when a copy of the client acted by its own will, and whether its silence means anything.
namespace mishap::client_tests {

// The process facts of the copy that drove a lane, of its last life where a scenario had it started
// again; null: not our child, or nothing is known.
const ProcessFacts* process_of(const Recording& recording, int lane);

// It ended before anybody ended it (an exit or a signal of its own), or so says whoever drove it.
bool ended_by_itself(const Recording& recording, int lane);
bool was_killed(const Recording& recording, int lane);  // by the watchdog or by Ctrl-C
bool is_service(const Recording& recording, int lane);
// Its end is no act of its own: a service that was stopped when its scenario was over, or a client
// that the scenario had signalled.
bool was_stopped(const Recording& recording, int lane);

// The scenario had it signalled, and it was not started again.
bool was_ended_by_scenario(const Recording& recording, int lane);

// It ended as no client should: by a signal, or a service before it was told to.
bool crashed(const ProcessFacts& process);

// When what drove a lane ended by itself; nothing where nothing did, or where it hung.
std::optional<Duration> drive_ended_at(const Recording& recording, int lane);

// The last instant at which what it did, or did not do, was its own doing: its end, the moment at
// which the driver ended it, or the end of the run.
Duration own_until(const Recording& recording, int lane);

// checks.md section 1, rule 2: max(3 s, 2 x largest gap seen, 2 x promised max_delay).
Duration quiet_window(const Case& c, int lane);
Duration quiet_window(const Recording& recording, const History& history, int lane);

// It ended and left processes of its own running, which were ended then: they may have had more to
// send.
bool left_work_behind(const Recording& recording, int lane);

// Absence after `instant` may be concluded: the client has ended by itself, or nothing came for a
// quiet window.
bool is_closed_after(const Case& c, int lane, Duration instant);

// For a statement on what came no more: ", watched for 3.20 s since" where the silence of one that
// had not ended was waited for; else empty.
std::string watched_since(const Case& c, int lane, Duration instant);

// Its dead letters could not be read whole: one that is missing may be there.
bool may_have_more_letters(const Recording& recording, int lane);

// "The client never ended", "it was interrupted" ... for reasons.
std::string how_it_ended(const Recording& recording, int lane);

}  // namespace mishap::client_tests
