#include "client-tests/clients/booking_client/command_line.h"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace booking {
namespace {

std::optional<int> parse_count(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
}

struct CountFlag {
  std::string_view name;
  int Settings::*target;
  int least;
};
constexpr CountFlag kCountFlags[] = {{"--creates", &Settings::creates, 0},
                                     {"--reads", &Settings::reads, 0},
                                     {"--max-attempts", &Settings::max_attempts, 1},
                                     {"--workers", &Settings::workers, 1},
                                     {"--rate", &Settings::rate, 1},
                                     {"--retry-budget", &Settings::retry_budget, 0}};

struct DurationFlag {
  std::string_view name;
  milliseconds Settings::*target;
  milliseconds least{1};
};
constexpr DurationFlag kDurationFlags[] = {{"--attempt-timeout", &Settings::attempt_timeout},
                                           {"--deadline", &Settings::deadline},
                                           {"--base", &Settings::base},
                                           {"--max-delay", &Settings::max_delay},
                                           {"--retry-after-limit", &Settings::retry_after_limit},
                                           {"--breaker", &Settings::breaker},
                                           {"--interactive", &Settings::interactive},
                                           {"--key-lifetime", &Settings::key_lifetime},
                                           {"--stay", &Settings::stay, milliseconds(0)}};

struct TextFlag {
  std::string_view name;
  std::string Settings::*target;
};
constexpr TextFlag kTextFlags[] = {{"--wrong", &Settings::wrong},
                                   {"--log-file", &Settings::log_file},
                                   {"--dead-letters", &Settings::dead_letters},
                                   {"--telemetry", &Settings::telemetry}};

enum class Took { Yes, No, BadValue };

Took take_value(Settings& settings, std::string_view flag, const std::string& value) {
  for (const CountFlag& known : kCountFlags) {
    if (known.name != flag) continue;
    const std::optional<int> count = parse_count(value);
    if (!count || *count < known.least) return Took::BadValue;
    settings.*known.target = *count;
    return Took::Yes;
  }
  for (const DurationFlag& known : kDurationFlags) {
    if (known.name != flag) continue;
    const std::optional<milliseconds> duration = parse_duration(value);
    if (!duration || *duration < known.least) return Took::BadValue;
    settings.*known.target = *duration;
    return Took::Yes;
  }
  for (const TextFlag& known : kTextFlags) {
    if (known.name != flag) continue;
    settings.*known.target = value;
    return Took::Yes;
  }
  return Took::No;
}

bool take_switch(CommandLine& line, std::string_view flag) {
  if (flag == "--no-outcomes") {
    line.settings.writes_outcomes = false;
  } else if (flag == "--batch") {
    line.settings.batch = true;
  } else if (flag == "--plain-vendor") {
    line.settings.plain_vendor = true;
  } else if (flag == "--no-keys") {
    line.settings.no_keys = true;
  } else if (flag == "--upsert") {
    line.settings.upserts = true;
  } else if (flag == "--last-known") {
    line.settings.uses_last_known = true;
  } else if (flag == "--follow-redirects") {
    line.settings.follows_redirects = true;
  } else if (flag == "--renew-token") {
    line.settings.renews_token = true;
  } else if (flag == "--bulkhead") {
    line.settings.bulkhead = true;
  } else if (flag == "--share-throttling") {
    line.settings.shares_throttling = true;
  } else if (flag == "--log-json") {
    line.settings.logs_json = true;
  } else if (flag == "--list-wrong") {
    line.list_wrong = true;
  } else if (flag == "--help") {
    line.help = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<milliseconds> parse_duration(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  constexpr std::int64_t kMost = 1'000'000'000;  // keeps every product below far from overflow
  if (error != std::errc() || value < 0 || value > kMost) return std::nullopt;
  if (unit == "ms") return milliseconds(value);
  if (unit == "s") return milliseconds(value * 1000);
  if (unit == "m") return milliseconds(value * 60'000);
  return std::nullopt;
}

std::optional<CommandLine> parse_command_line(const std::vector<std::string>& arguments,
                                              std::string& complaint) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (take_switch(line, flag)) continue;
    const bool has_value = i + 1 < arguments.size();
    const Took took = take_value(line.settings, flag, has_value ? arguments[i + 1] : std::string());
    if (took == Took::No) {
      complaint = "unknown flag " + flag;
      return std::nullopt;
    }
    if (took == Took::BadValue || !has_value) {
      complaint = flag + (has_value ? " cannot be " + arguments[i + 1] : " needs a value");
      return std::nullopt;
    }
    ++i;
  }
  return line;
}

std::string usage() {
  return "mishap-booking-client: makes bookings and reads products at $MISHAP_URL\n"
         "  --creates 3  --reads 2        how many of each\n"
         "  --batch                       all creates in one request\n"
         "  --attempt-timeout 1s          one attempt, from connecting to the last byte\n"
         "  --deadline 12s                one operation, all attempts and waits\n"
         "  --max-attempts 5              the first one included\n"
         "  --base 100ms --max-delay 2s   ceiling of the first wait, and of any wait\n"
         "  --retry-after-limit 10s       a longer wish of the server ends the operation\n"
         "  --stay 0ms                    live on after the work, as a service would\n"
         "  --plain-vendor                it takes no keys and lists nothing: never send twice\n"
         "  --no-keys                     it takes no keys, but can be asked: look before sending "
         "again\n"
         "  --upsert                      PUT each under an id of our own\n"
         "  --key-lifetime 1440m          how long the vendor remembers a key; then only look\n"
         "  --last-known                  reads are of one page; use the last one where it fails\n"
         "  --follow-redirects            up to ten, without credentials to another origin\n"
         "  --renew-token                 on 401 get a new one (POST /v1/token) and try once more\n"
         "  --interactive 2s              a create that takes longer is pending, and goes on last\n"
         "  --workers 200 --rate 40       many in one process; so many operations begin each "
         "second\n"
         "   of these: --breaker 1s       stop calling while most calls fail, for so long at a "
         "time\n"
         "             --retry-budget 2   retries cost tokens; so many a second when there are "
         "none\n"
         "             --bulkhead         half of the workers for creates, half for reads\n"
         "             --share-throttling one that is told to wait slows the others as well\n"
         "  --no-outcomes                 do not write $MISHAP_OUTCOMES\n"
         "  --log-file FILE --log-json    log into $MISHAP_STATE; one JSON object a line\n"
         "  --dead-letters FILE           keep what was given up, in $MISHAP_STATE\n"
         "  --telemetry FILE              counters, in $MISHAP_STATE\n"
         "  --wrong SWITCH                be wrong in one way     --list-wrong  the switches\n"
         "Exit code: 0 every create and read succeeded, 1 one did not, 2 bad usage.\n";
}

}  // namespace booking
