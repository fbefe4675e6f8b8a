// Many creates in one request. Each has its own key and its own end: a batch that fails in part is
// neither a success nor a failure, and only what failed is sent again.
#include <algorithm>

#include "client-tests/clients/booking_client/bookings.h"

namespace booking {
namespace {

using std::chrono::steady_clock;

// What the answer to the batch says of one item.
void take(CallResult& item, const Judgement& judgement) {
  if (item.success) return;  // known before: nothing takes it back
  if (const Success* success = std::get_if<Success>(&judgement)) {
    item.success = *success;
  } else {
    item.failures.push_back(std::get<Failure>(judgement));
  }
}

}  // namespace

bool Bookings::create_batch(int creates) {
  const TimePoint began = steady_clock::now();
  const milliseconds limit = habits_.settings().deadline;
  const TimePoint deadline = began + limit;
  std::vector<Wanted> all;
  for (int i = 1; i <= creates; ++i) all.push_back(want(i));
  Batch open;
  for (Wanted& item : all) {
    if (item.line) continue;
    if (item.resumed) item.line = find_resumed(item.reference, end_of_attempts(deadline, limit));
    item.line ? keep(item) : open.push_back(&item);
  }
  send_batch(open, end_of_attempts(deadline, limit));
  for (Wanted* item : open) {
    item->line = settle(item->reference, item->sent, item->resumed, deadline);
    keep(*item);
  }
  bool all_succeeded = true;
  for (const Wanted& item : all) all_succeeded = tell(*item.line, began) && all_succeeded;
  return all_succeeded;
}

void Bookings::send_batch(const Batch& all, TimePoint attempts_end) {
  if (all.empty()) return;
  Batch going;  // with the attempt that is under way
  Call call;
  call.kind = CallKind::Create;
  call.operation = "batch";
  call.max_attempts = habits_.settings().max_attempts;
  call.request = [&](int attempt) {
    going.clear();
    std::copy_if(all.begin(), all.end(), std::back_inserter(going),
                 [&](const Wanted* item) { return habits_.goes_along(is_settled(*item)); });
    return next_batch(going, attempt);
  };
  call.judge = [&](const Answer& answer) { return judge_batch(all, going, answer); };
  caller_.run(call, attempts_end);
}

Request Bookings::next_batch(const Batch& going, int attempt) {
  std::vector<KeyedIntent> intents;
  for (Wanted* item : going) {
    ++item->sent.attempts;
    Intent as_sent = item->stored.intent;
    as_sent.body = habits_.body_for(item->stored.intent, attempt);
    intents.push_back({as_sent, habits_.key_for(item->stored.intent, attempt)});
  }
  return batch_request(environment_, intents);
}

// Done, or refused for good.
bool Bookings::is_settled(const Wanted& item) const {
  const std::vector<Failure>& failures = item.sent.failures;
  return item.sent.success || (!failures.empty() && !failures.back().retryable);
}

// A success when there is nothing to send again; else the failure that is about to be retried.
Judgement Bookings::judge_batch(const Batch& all, const Batch& sent, const Answer& answer) const {
  std::optional<Failure> failure = failure_of(answer);
  const auto answers = failure ? std::nullopt : answers_to_items(answer, sent.size());
  if (!failure && !answers) failure = invalid_response("answer lacks a result for each item");
  for (std::size_t i = 0; i < sent.size(); ++i) {
    take(sent[i]->sent,
         failure ? Judgement(*failure) : judge_booking(answers->at(i), sent[i]->reference));
  }
  if (failure) return *failure;
  const auto open =
      std::find_if(all.begin(), all.end(), [&](const Wanted* item) { return !is_settled(*item); });
  return open == all.end() ? Judgement(Success{}) : Judgement((*open)->sent.failures.back());
}

}  // namespace booking
