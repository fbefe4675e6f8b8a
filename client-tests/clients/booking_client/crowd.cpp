#include "client-tests/clients/booking_client/crowd.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "client-tests/clients/booking_client/bookings.h"
#include "client-tests/clients/booking_client/log.h"
#include "client-tests/clients/booking_client/wrong_clients.h"

namespace booking {
namespace {

using std::chrono::duration_cast;
using std::chrono::steady_clock;

// A connection for each worker, and the few that any program has.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) log_note("the limit of descriptors stays as it is");
}

}  // namespace

std::deque<Job> jobs_of(const Work& work, int rate, steady_clock::time_point begin) {
  std::deque<Job> jobs;
  const std::int64_t all = std::int64_t{work.creates} + work.reads;
  Job create{CallKind::Create, 0, begin};
  Job read{CallKind::Read, 0, begin};
  for (std::int64_t i = 0; i < all; ++i) {
    // As many creates as their share of what has been handed out so far asks for.
    const bool is_create = (i + 1) * work.creates / all > create.number;
    Job& job = is_create ? create : read;
    ++job.number;
    job.due = begin + i * std::chrono::microseconds(1'000'000) / rate;
    jobs.push_back(job);
  }
  return jobs;
}

Crowd::Crowd(const Environment& environment, Habits& habits)
    : environment_(environment), habits_(habits), gate_(habits) {}

bool Crowd::work(const Work& work) {
  allow_many_descriptors();
  share_out(jobs_of(work, habits_.settings().rate, steady_clock::now()));
  std::atomic<bool> all_succeeded = true;
  std::vector<std::thread> threads;
  for (Pool& pool : pools_) {
    for (int i = 0; i < pool.workers; ++i) {
      threads.emplace_back([&] {
        if (!serve(pool)) all_succeeded = false;
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  return all_succeeded && !habits_.is_cancelled();
}

void Crowd::share_out(std::deque<Job> jobs) {
  const int workers = habits_.settings().workers;
  if (!habits_.settings().bulkhead || !habits_.separates_routes()) {
    pools_[0].jobs = std::move(jobs);
    pools_[0].workers = workers;
    return;
  }
  for (const Job& job : jobs) {
    pools_[static_cast<std::size_t>(route_of(job.kind))].jobs.push_back(job);
  }
  for (Pool& pool : pools_) pool.workers = pool.jobs.empty() ? 0 : std::max(1, workers / 2);
}

std::optional<Job> Crowd::next(Pool& pool) {
  const std::lock_guard lock(pool.mutex);
  if (pool.jobs.empty()) return std::nullopt;
  const Job job = pool.jobs.front();
  pool.jobs.pop_front();
  return job;
}

bool Crowd::serve(Pool& pool) {
  const auto habits = make_habits(habits_.settings());
  std::unique_ptr<Transport> transport;  // a worker that gets nothing to do needs none
  std::unique_ptr<Bookings> bookings;
  bool all_succeeded = true;
  while (const auto job = next(pool)) {
    const auto early = duration_cast<milliseconds>(job->due - steady_clock::now());
    if (early > milliseconds(0) && !habits->sleep(early)) return false;
    if (habits->is_cancelled()) return false;
    if (!bookings) {
      transport = habits->make_transport(environment_.origin);
      bookings = std::make_unique<Bookings>(environment_, *habits, *transport, &gate_);
    }
    // Work that waited in vain is refused, not kept: else all of it came at once in the end.
    const bool is_late = steady_clock::now() - job->due > habits->settings().attempt_timeout;
    const bool is_create = job->kind == CallKind::Create;
    if (is_late || gate_.is_shut(route_of(job->kind))) {
      const char* why = is_late ? "no worker was free" : "circuit open";
      all_succeeded = false;
      if (is_create) bookings->refuse(job->number, why);
      continue;
    }
    const bool succeeded = is_create ? bookings->create(job->number) : bookings->read(job->number);
    all_succeeded = succeeded && all_succeeded;
  }
  return all_succeeded;
}

}  // namespace booking
