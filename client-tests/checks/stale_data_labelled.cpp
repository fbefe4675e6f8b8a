#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "client-tests/checks/attempts.h"
#include "client-tests/checks/catalog.h"
#include "client-tests/checks/tally.h"

// What was read before does not pass for what is so now.
namespace mishap::client_tests {

namespace {

using server::Exchange;

// A word of the vendor about how it is now: what is there, that it is not there (404), that it is
// as it was (304, RFC 9110 section 15.4.5), or where to go on.
bool is_live(const Attempt& attempt) {
  const bool is_word = attempt.result == Result::Success || attempt.result == Result::Redirect ||
                       (attempt.result == Result::ClientError && !is_transient(attempt));
  return is_word && attempt.exchange->receipt.last_write.has_value();
}

// When the client saw what became of it; nothing: it never did.
std::optional<Duration> seen_at(const Attempt& attempt) {
  if (attempt.abandoned_at) return attempt.abandoned_at;
  return attempt.failed_at ? attempt.failed_at : attempt.exchange->receipt.last_write;
}

// It was let go without an answer: the line about it may come before its connection is closed.
bool was_let_go(const Attempt& attempt) {
  return !answered(attempt);
}

// The reads of each copy by the names that a line may give them: with their query, and by the path
// alone, which then stands for all of that path.
class Reads {
 public:
  using Attempts = std::vector<const Attempt*>;  // in order of time

  explicit Reads(const History& history) {
    for (const Operation& operation : history.operations) {
      if (operation.klass != OperationClass::Safe) continue;
      for (const Attempt& attempt : operation.attempts) add(operation, attempt);
    }
    for (auto& [name, attempts] : by_name_) {
      std::ranges::stable_sort(attempts, {}, &Reads::sent);
    }
  }

  const Attempts* find(int copy, const std::string& name) const {
    const auto found = by_name_.find({copy, name});
    return found == by_name_.end() ? nullptr : &found->second;
  }

  static Duration sent(const Attempt* attempt) { return attempt->exchange->first_byte; }

 private:
  void add(const Operation& operation, const Attempt& attempt) {
    const server::RequestFacts& request = attempt.exchange->request;
    by_name_[{operation.lane, request.method + ' ' + request.target}].push_back(&attempt);
    if (request.target == request.path) return;
    by_name_[{operation.lane, request.method + ' ' + request.path}].push_back(&attempt);
  }

  std::map<std::pair<int, std::string>, Attempts> by_name_;
};

std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (text.size() < at + digits) return std::nullopt;
  int value = 0;
  const char* end = text.data() + at + digits;
  const auto [rest, error] = std::from_chars(text.data() + at, end, value);
  if (error != std::errc() || rest != end || text[at] == '-') return std::nullopt;
  return value;
}

// The seconds that "Z" or "+02:00" stands for, behind the fraction of a second.
std::optional<std::chrono::seconds> offset_in(std::string_view text) {
  if (text.starts_with('.')) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789", 1), text.size()));
  }
  if (text == "Z" || text == "z") return std::chrono::seconds(0);
  const auto hours = number_at(text, 1, 2);
  const auto minutes = number_at(text, 4, 2);
  const bool is_offset = text.size() == 6 && text[3] == ':' && hours && minutes;
  if (!is_offset || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto amount = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return text[0] == '+' ? amount : -amount;
}

// Of RFC 3339, as time since the epoch; nothing: it is written in another way, which is fine.
std::optional<Duration> instant_in(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto year = number_at(text, 0, 4);
  const auto month = number_at(text, 5, 2);
  const auto day = number_at(text, 8, 2);
  const auto hour = number_at(text, 11, 2);
  const auto minute = number_at(text, 14, 2);
  const auto second = number_at(text, 17, 2);
  const auto offset = offset_in(text.substr(19));
  if (!year || !month || !day || !hour || !minute || !second || !offset) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  const auto time = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                    std::chrono::minutes(*minute) + std::chrono::seconds(*second) - *offset;
  return std::chrono::duration_cast<Duration>(time);
}

std::string endings_of(const std::vector<const Attempt*>& attempts) {
  std::string text;
  for (const Attempt* attempt : attempts)
    text += (text.empty() ? "" : " -> ") + ending_of(*attempt);
  return text;
}

bool is_labelled(const OutcomeLine& line) {
  return line.cached.value_or(false) && line.as_of;
}

// Lines about one name of one copy, in their order. A line does not say which of several reads at
// once it is about: it speaks of those that were over by then and of which none spoke before.
class Judge {
 public:
  Judge(const Case& c, const Reads::Attempts& reads, Tally& tally)
      : case_(c), reads_(reads), tally_(tally) {}

  void look_at(const OutcomeLine& line) {
    take_what_was_sent(line.at);
    const bool has_live = take_what_came(line.at);
    // Without a call what is kept may be good still (RFC 9111 section 4.2).
    if (line.outcome != OutcomeKind::Succeeded || has_live) return;
    if (!is_labelled(line) && take_spare()) return;
    failed_.empty() ? judge_what_is_open(line) : judge(line);
  }

 private:
  // Two reads at once that came well are told of in two lines, one soon after the other.
  static constexpr Duration kSoon = std::chrono::seconds(1);
  // Letting go and telling of it are one deed.
  static constexpr Duration kSameMoment = std::chrono::milliseconds(50);

  void take_what_was_sent(Duration at) {
    while (next_ < reads_.size() && Reads::sent(reads_[next_]) <= at) {
      under_way_.push_back(reads_[next_++]);
    }
  }

  // Whether there is an answer that the line may be about.
  bool take_what_came(Duration at) {
    failed_.clear();
    forget_old_spares(at);
    std::size_t live = 0;
    const auto is_going_on = [at](const Attempt* attempt) {
      const auto seen = seen_at(*attempt);
      return !seen || *seen > at + (was_let_go(*attempt) ? kSameMoment : Duration{});
    };
    const auto over = std::ranges::stable_partition(under_way_, is_going_on);
    for (const Attempt* attempt : over) {
      if (!is_live(*attempt)) {
        failed_.push_back(attempt);
        continue;
      }
      ++live;
      last_live_ = std::max(last_live_.value_or(Duration{}), *seen_at(*attempt));
    }
    under_way_.erase(over.begin(), over.end());
    if (live > 0) spare_ += live - 1;
    return live > 0;
  }

  void forget_old_spares(Duration at) {
    if (last_live_ && at > *last_live_ + kSoon) spare_ = 0;
  }

  bool take_spare() {
    if (spare_ == 0) return false;
    --spare_;
    return true;
  }

  // Reads that were under way and never came to an answer: they may have been given up by then.
  void judge_what_is_open(const OutcomeLine& line) {
    std::ranges::copy_if(under_way_, std::back_inserter(failed_),
                         [](const Attempt* attempt) { return was_let_go(*attempt); });
    if (failed_.empty()) return;
    if (is_labelled(line)) {
      std::erase_if(under_way_, [](const Attempt* attempt) { return was_let_go(*attempt); });
      return judge(line);
    }
    Witness cited = cite(line);
    cited.statement += ", which may have been given up by then";
    tally_.open("whether the read had failed by then was not seen", std::move(cited));
  }

  Witness cite(const OutcomeLine& line) const {
    Witness cited;
    for (const Attempt* attempt : failed_) cited.exchanges.push_back(attempt->exchange->number);
    cited.statement = fmt::format("{}: reported succeeded at {} after {}", line.operation,
                                  seconds(line.at), endings_of(failed_));
    return cited;
  }

  void judge(const OutcomeLine& line) {
    Witness cited = cite(line);
    if (!is_labelled(line)) {
      cited.statement +=
          line.cached.value_or(false) ? ", cached, without as_of" : ", without cached and as_of";
      return tally_.broke(std::move(cited));
    }
    cited.statement += ", cached as of " + *line.as_of;
    if (const auto ahead = beyond_what_was_read(*line.as_of)) {
      cited.statement += fmt::format(", {} after it was last read > 2 s", seconds(*ahead));
      return tally_.broke(std::move(cited));
    }
    tally_.held(std::move(cited));
  }

  // Data cannot be newer than the last answer that brought it: an age counted from now is none.
  // Only where client and server look at one clock; seconds are the unit of such texts.
  std::optional<Duration> beyond_what_was_read(std::string_view as_of) const {
    constexpr Duration kTolerance = std::chrono::seconds(2);
    const auto instant = instant_in(as_of);
    if (!instant || !case_.recording.child) return std::nullopt;
    const Duration read = case_.recording.wall_start + last_live_.value_or(Duration{});
    return *instant > read + kTolerance ? std::optional(*instant - read) : std::nullopt;
  }

  const Case& case_;
  const Reads::Attempts& reads_;
  Tally& tally_;
  std::size_t next_ = 0;
  Reads::Attempts under_way_;  // and those that are over, until a line may speak of them
  Reads::Attempts failed_;     // of the line that is looked at
  std::size_t spare_ = 0;      // answers of which no line spoke yet
  std::optional<Duration> last_live_;
};

bool any_read_failed(const History& history) {
  return std::ranges::any_of(history.operations, [](const Operation& operation) {
    return operation.klass == OperationClass::Safe && !is_lookup(operation) &&
           std::ranges::none_of(operation.attempts, is_live);
  });
}

Finding evaluate(const Case& c, const Params&) {
  if (!any_read_failed(c.history)) return not_applicable("no read failed for good");
  if (c.history.read_outcomes.empty()) {
    return not_observed("no outcome line names a read (\"operation\": \"GET /path\")");
  }
  const Reads reads(c.history);
  Tally tally;
  std::map<const Reads::Attempts*, Judge> judges;
  for (const OutcomeLine* line : c.history.read_outcomes) {
    const Reads::Attempts* own = reads.find(line->copy, line->operation);
    if (own) judges.try_emplace(own, c, *own, tally).first->second.look_at(*line);
  }
  return std::move(tally).settle(
      {.failed = "old data passes for new",
       .reason = "A read failed and was reported as a success, with nothing said of its age.",
       .held = counted(tally.judged(), "read") + " answered from memory and labelled so",
       .none = "no read that failed was reported as a success"});
}

}  // namespace

const CheckDescriptor kStaleDataLabelled = {
    .name = "stale_data_labelled",
    .summary = "data from before an outage is marked with its age",
    .rule =
        "a read reported as a success whose attempts all failed has cached: true and as_of, and "
        "as_of <= the last time that it was read + 2 s",
    .judged =
        "reads that failed for good, of a client whose outcome lines name reads (\"GET /path\", "
        "with or without the query); a read for which no call was made is not judged, and of reads "
        "at once a line is about those that were over",
    .why = "Whoever decides by old data believes that it is new.",
    .change = "Keep with the data when it was read; where the call fails, hand both on and say so.",
    .source = "RFC 9111 section 4.2.4; RFC 5861 section 4 (stale-if-error)",
    .since = "0.1",
    .severity = 55,
    .families = {Family::Truth},
    .evaluate = evaluate,
};

}  // namespace mishap::client_tests
