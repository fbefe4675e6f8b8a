#include "client-tests/clients/booking_client/intent_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace booking {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr Outcome kOutcomes[] = {Outcome::Succeeded, Outcome::Failed, Outcome::Pending};

json to_json(const StoredIntent& stored) {
  json out = {{"reference", stored.intent.reference},
              {"key", stored.intent.key},
              {"body", stored.intent.body},
              {"status", stored.outcome ? name_of(*stored.outcome) : "started"}};
  if (!stored.id.empty()) out["id"] = stored.id;
  return out;
}

std::string text_of(const json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

std::optional<StoredIntent> from_json(const json& object) {
  if (!object.is_object()) return std::nullopt;
  StoredIntent stored;
  stored.intent = {text_of(object, "reference"), text_of(object, "key"), text_of(object, "body")};
  stored.id = text_of(object, "id");
  for (const Outcome outcome : kOutcomes) {
    if (text_of(object, "status") == name_of(outcome)) stored.outcome = outcome;
  }
  return stored;
}

bool write_durably(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
  return close(file) == 0 && written;
}

// A rename survives a crash only once the folder itself is on disk.
bool sync_folder(const fs::path& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  const bool synced = fsync(folder) == 0;
  close(folder);
  return synced;
}

fs::path file_for(const fs::path& folder, const std::string& reference) {
  return folder / (reference + ".json");
}

}  // namespace

IntentStore::IntentStore(std::optional<fs::path> folder) : folder_(std::move(folder)) {}

std::optional<StoredIntent> IntentStore::load(const std::string& reference) const {
  if (!folder_) return std::nullopt;
  std::ifstream file(file_for(*folder_, reference));
  if (!file) return std::nullopt;
  std::optional<StoredIntent> stored = from_json(json::parse(file, nullptr, false));
  const bool is_whole =
      stored && stored->intent.reference == reference && !stored->intent.key.empty();
  return is_whole ? stored : std::nullopt;
}

bool IntentStore::knows(const std::string& reference) const {
  std::error_code ignored;
  return folder_ && fs::exists(file_for(*folder_, reference), ignored);
}

std::string IntentStore::file_of(const std::string& reference) const {
  return folder_ ? file_for("", reference).string() : "";
}

void IntentStore::forget(const std::string& reference) const {
  std::error_code ignored;
  if (folder_) fs::remove(file_for(*folder_, reference), ignored);
}

bool IntentStore::save(const StoredIntent& stored) const {
  if (!folder_) return true;
  std::error_code ignored;
  fs::create_directories(*folder_, ignored);
  const fs::path path = file_for(*folder_, stored.intent.reference);
  fs::path fresh = path;
  fresh += ".new";
  return write_durably(fresh, to_json(stored).dump() + '\n') &&
         std::rename(fresh.c_str(), path.c_str()) == 0 && sync_folder(*folder_);
}

}  // namespace booking
