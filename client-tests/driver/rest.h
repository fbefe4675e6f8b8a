#pragma once

#include "mishap/client.h"
#include "mishap/recording.h"
#include "mishap/server.h"

namespace mishap::client_tests {

// When a service that nothing drives any more has had its say. It may go on in the background: a
// right one that tries again later is not to be cut off, and what did not come may be concluded
// only after a quiet window (checks.md section 1, rule 2).
class Rest {
 public:
  Rest(const server::Run& run, const scenarios::Client& client, const ScenarioFacts& scenario);

  // Asked every turn, looks five times a second. `since`: nothing drives it.
  bool is_over(Duration now, Duration since);

 private:
  const server::Run& run_;
  Duration asked_;
  Recording so_far_;
  Duration next_look_{};
};

// An answer is owed to somebody who still waits for it.
bool owes_an_answer(const server::Journal& journal);

// The last instant at which something happened that is new: a read that was answered well before
// and comes again is the poll of a worker, who is never silent; so is one that has failed a dozen
// times.
Duration last_news(const server::Journal& journal);

// How long silence must last before it means something: nothing while all went well, else the quiet
// window of the checks.
Duration silence_needed(const Recording& so_far);

// When the waits that the vendor asked for are over, of those that a right client may be in.
Duration waits_over_at(const Recording& so_far);

}  // namespace mishap::client_tests
