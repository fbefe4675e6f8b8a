// Wrong about what is told to people and machines: outcome lines and the log.
#pragma once

#include <chrono>
#include <cstdlib>

#include "client-tests/clients/booking_client/habits.h"
#include "client-tests/clients/booking_client/log.h"

namespace booking {

// The line is written when the call is about to be made, in good faith.
class ReportsBeforehand : public Habits {
 public:
  using Habits::Habits;
  bool reports_beforehand() const override { return true; }
};

// It reads an id, and does not look whose it is.
class TakesAnyBooking : public Habits {
 public:
  using Habits::Habits;
  bool compares_reference() const override { return false; }
};

// Begins to count and to measure anew with every attempt.
class ReportsLastAttemptOnly : public Habits {
 public:
  using Habits::Habits;
  std::optional<std::string> key_for(const Intent& intent, int attempt) override {
    last_began_ = std::chrono::steady_clock::now();
    return Habits::key_for(intent, attempt);
  }
  OutcomeLine as_reported(OutcomeLine line) const override {
    line.attempts = 1;
    line.duration =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - last_began_);
    return line;
  }

 private:
  std::chrono::steady_clock::time_point last_began_ = std::chrono::steady_clock::now();
};

// What it knew before passes for what is so now.
class UnlabelledMemory : public Habits {
 public:
  using Habits::Habits;
  OutcomeLine as_reported(OutcomeLine line) const override {
    line.as_of.clear();
    return line;
  }
};

class OneCategory : public Habits {
 public:
  using Habits::Habits;
  OutcomeLine as_reported(OutcomeLine line) const override {
    if (!line.category.empty()) line.category = "request failed";
    return line;
  }
};

// Prints the request with its headers when something goes wrong.
class LogsToken : public Habits {
 public:
  using Habits::Habits;
  Judgement believe(const Answer& answer, Judgement judged) const override {
    const char* token = std::getenv("MISHAP_TOKEN");
    if (token && std::holds_alternative<Failure>(judged)) {
      log_note("failed: POST /v1/bookings Authorization: Bearer " + std::string(token));
    }
    return Habits::believe(answer, judged);
  }
};

// A dump of the header, as debuggers and proxies write it.
class LogsTokenEncoded : public Habits {
 public:
  using Habits::Habits;
  Judgement believe(const Answer& answer, Judgement judged) const override {
    const char* token = std::getenv("MISHAP_TOKEN");
    if (token && std::holds_alternative<Failure>(judged)) {
      log_note("failed: credentials=" + base64("client:" + std::string(token)));
    }
    return Habits::believe(answer, judged);
  }

 private:
  static std::string base64(const std::string& bytes) {
    static constexpr char kAlphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    unsigned bits = 0;
    int held = 0;
    for (const char c : bytes) {
      bits = bits << 8U | static_cast<unsigned char>(c);
      for (held += 8; held >= 6; held -= 6) text += kAlphabet[bits >> (held - 6) & 63U];
    }
    if (held > 0) text += kAlphabet[bits << (6 - held) & 63U];
    while (text.size() % 4 != 0) text += '=';
    return text;
  }
};

// Writes down what it sends, so that it can be looked at later.
class DumpsPayload : public Habits {
 public:
  using Habits::Habits;
  std::string body_for(const Intent& intent, int attempt) const override {
    log_note("sending " + intent.body);
    return Habits::body_for(intent, attempt);
  }
};

// "request failed, again in 100ms", a thousand times.
class LogsWithoutNames : public Habits {
 public:
  using Habits::Habits;
  std::string name_in_log(const std::string& /*operation*/) const override { return "-"; }
};

// Counts what went well and forgets what was tried again.
class CountsNoRetries : public Habits {
 public:
  using Habits::Habits;
  Counters as_told(Counters counters) const override {
    counters.attempts -= counters.retries;
    counters.retries = 0;
    return counters;
  }
};

// Prints what the server says of an error, as it came.
class PrintsAnswers : public Habits {
 public:
  using Habits::Habits;
  Judgement believe(const Answer& answer, Judgement judged) const override {
    if (std::holds_alternative<Failure>(judged)) log_note("the server says: " + answer.body);
    return Habits::believe(answer, judged);
  }
};

// A stack trace, as it seems, for every attempt, and one for every frame of it.
class FloodsLog : public Habits {
 public:
  using Habits::Habits;
  Judgement believe(const Answer& answer, Judgement judged) const override {
    static constexpr int kFrames = 400;
    const bool failed = std::holds_alternative<Failure>(judged);
    for (int i = 0; failed && i < kFrames; ++i) log_note("    at booking.Call.run(Call.java:42)");
    return Habits::believe(answer, judged);
  }
};

}  // namespace booking
