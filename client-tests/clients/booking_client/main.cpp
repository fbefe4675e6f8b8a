// mishap-booking-client: a client that does it right, as an example and as a yardstick; with
// --wrong it does one thing wrong on purpose.
#include <csignal>
#include <iostream>
#include <memory>
#include <vector>

#include "client-tests/clients/booking_client/bookings.h"
#include "client-tests/clients/booking_client/cancellation.h"
#include "client-tests/clients/booking_client/command_line.h"
#include "client-tests/clients/booking_client/crowd.h"
#include "client-tests/clients/booking_client/environment.h"
#include "client-tests/clients/booking_client/log.h"
#include "client-tests/clients/booking_client/wrong_clients.h"

namespace {

constexpr int kBadUsage = 2;

int complain(const std::string& complaint) {
  std::cerr << complaint << '\n' << booking::usage();
  return kBadUsage;
}

void print_wrong_clients() {
  for (const booking::WrongClient& wrong : booking::wrong_clients()) {
    std::cout << wrong.name << '\t' << wrong.check << '\t' << wrong.summary << '\n';
  }
}

// A word to whoever waits, soon; what is pending then is taken up again behind all others.
bool do_work_for_people(booking::Bookings& bookings, const booking::Habits& habits,
                        const booking::Work& work) {
  std::vector<int> left;
  for (int i = 1; i <= work.creates && !habits.is_cancelled(); ++i) {
    if (!bookings.create_soon(i)) left.push_back(i);
  }
  bool all_succeeded = true;
  for (int i = 1; i <= work.reads && !habits.is_cancelled(); ++i) {
    all_succeeded = bookings.read(i) && all_succeeded;
  }
  for (const int i : left) {
    all_succeeded = !habits.is_cancelled() && bookings.go_on(i) && all_succeeded;
  }
  return all_succeeded && !habits.is_cancelled();
}

std::optional<std::filesystem::path> in_state(const booking::Environment& environment,
                                              const std::string& name) {
  if (!environment.state || name.empty()) return std::nullopt;
  return *environment.state / name;
}

// Once it is told to end it begins nothing more, and not all was done then.
bool do_work(booking::Bookings& bookings, const booking::Habits& habits,
             const booking::Work& work) {
  bool all_succeeded = !work.batch || bookings.create_batch(work.creates);
  const auto goes_on = [&] {
    if (habits.is_cancelled()) all_succeeded = false;
    return !habits.is_cancelled();
  };
  const int singles = work.batch ? 0 : work.creates;
  for (int i = 1; i <= singles && goes_on(); ++i) {
    all_succeeded = bookings.create(i) && all_succeeded;
  }
  for (int i = 1; i <= work.reads && goes_on(); ++i) {
    all_succeeded = bookings.read(i) && all_succeeded;
  }
  for (const std::string& path : work.extra_reads) {
    all_succeeded = bookings.read_other(path) && all_succeeded;
  }
  return all_succeeded;
}

bool do_work(const booking::Environment& environment, booking::Habits& habits) {
  const booking::Work work = habits.work(environment.scenario);
  if (habits.settings().workers > 0) return booking::Crowd(environment, habits).work(work);
  const auto transport = habits.make_transport(environment.origin);
  booking::Bookings bookings(environment, habits, *transport);
  const bool is_for_people = habits.settings().interactive > booking::milliseconds(0);
  const bool all_succeeded =
      is_for_people ? do_work_for_people(bookings, habits, work) : do_work(bookings, habits, work);
  if (const auto file = in_state(environment, habits.settings().telemetry)) {
    booking::write_counters(habits.as_told(bookings.counters()), *file);
  }
  return all_succeeded;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a server that hangs up is an error to handle, not an end
  booking::listen_for_cancellation();
  std::string complaint;
  const auto line = booking::parse_command_line({argv + 1, argv + argc}, complaint);
  if (!line) return complain(complaint);
  if (line->help) return std::cout << booking::usage(), 0;
  if (line->list_wrong) return print_wrong_clients(), 0;

  const auto environment = booking::read_environment();
  if (!environment) return complain("MISHAP_URL must be an http or https URL");
  const auto habits = booking::make_habits(line->settings);
  if (!habits) return complain("no such switch: " + line->settings.wrong);

  booking::set_up_log(in_state(*environment, line->settings.log_file), line->settings.logs_json);
  const bool all_succeeded = do_work(*environment, *habits);
  habits->sleep(line->settings.stay);
  habits->after_work();
  return habits->exit_code(all_succeeded);
}
