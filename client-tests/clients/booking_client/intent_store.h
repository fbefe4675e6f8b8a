// What is wanted and under which key, kept on disk before anything is sent.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "client-tests/clients/booking_client/booking_api.h"
#include "client-tests/clients/booking_client/outcome_log.h"

namespace booking {

// A booking that an earlier start of the program, or this one, has begun.
struct StoredIntent {
  Intent intent;
  std::optional<Outcome> outcome;  // nothing while it is under way
  std::string id;
};

// One file per reference. A crash at any point leaves the old file or the new one, never half.
class IntentStore {
 public:
  explicit IntentStore(std::optional<std::filesystem::path> folder);  // nothing: memory only

  // Nothing if none is stored, or if it cannot be read.
  std::optional<StoredIntent> load(const std::string& reference) const;

  // Whether something is stored, readable or not.
  bool knows(const std::string& reference) const;

  // True when the intent will survive a crash, or when there is no folder to keep it in.
  bool save(const StoredIntent& stored) const;

  void forget(const std::string& reference) const;

  // Its file, from the folder; empty where nothing is stored.
  std::string file_of(const std::string& reference) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

}  // namespace booking
