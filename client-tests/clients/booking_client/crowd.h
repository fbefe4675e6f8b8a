// Many operations at a steady rate, by many workers of one process.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>

#include "client-tests/clients/booking_client/environment.h"
#include "client-tests/clients/booking_client/gate.h"
#include "client-tests/clients/booking_client/habits.h"

namespace booking {

// An operation that is to begin at its time.
struct Job {
  CallKind kind = CallKind::Create;
  int number = 1;
  std::chrono::steady_clock::time_point due{};
};

// `work` one behind the other at this rate, creates and reads mixed evenly.
std::deque<Job> jobs_of(const Work& work, int rate, std::chrono::steady_clock::time_point begin);

class Crowd {
 public:
  // The references must outlive it. Each worker has habits of its own, made like `habits`.
  Crowd(const Environment& environment, Habits& habits);

  bool work(const Work& work);  // true iff all succeeded

 private:
  // Workers that take from one queue. With a bulkhead each route has its own, so that one that
  // stalls takes no more than its own workers.
  struct Pool {
    std::mutex mutex;
    std::deque<Job> jobs;
    int workers = 0;
  };
  void share_out(std::deque<Job> jobs);
  bool serve(Pool& pool);  // one worker, until nothing is left
  std::optional<Job> next(Pool& pool);

  const Environment& environment_;
  Habits& habits_;
  Gate gate_;
  std::array<Pool, kRoutes> pools_;
};

}  // namespace booking
