// mishap-booking-client: a client that does it right, as an example and as a yardstick; with
// --wrong it does one thing wrong on purpose.
#include <csignal>
#include <iostream>
#include <memory>

#include "client-tests/clients/booking_client/bookings.h"
#include "client-tests/clients/booking_client/cancellation.h"
#include "client-tests/clients/booking_client/command_line.h"
#include "client-tests/clients/booking_client/environment.h"
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

  const auto transport = habits->make_transport(environment->origin);
  booking::Bookings bookings(*environment, *habits, *transport);
  const bool all_succeeded = do_work(bookings, *habits, habits->work(environment->scenario));
  habits->sleep(line->settings.stay);
  habits->after_work();
  return habits->exit_code(all_succeeded);
}
