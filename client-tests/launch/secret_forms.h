#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "client-tests/launch/secrets.h"

// A text that must not be printed, in every form in which programs print it by mistake: in clear,
// as base64 at any alignment (a part of Basic, a dump of a header), in hexadecimal; each of them
// also behind percent signs or the escapes of JSON.
namespace mishap::client_tests {

class SecretForms {
 public:
  // Parts: 12 characters in a row give a secret away, and the last four do not. Whole: nothing less
  // than all of it.
  enum class Match { Parts, Whole };
  static constexpr std::size_t kTellingPart = 12;

  SecretForms(std::string_view secret, Match match);

  struct Sighting {
    Span at;
    std::string_view form;  // "in clear", "as base64", "in hexadecimal", "behind escapes"
  };
  // In order; places that overlap are one.
  std::vector<Sighting> find(std::string_view text) const;

  // How far back a sighting can begin that ends with the next byte.
  std::size_t reach() const { return reach_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Windows = std::unordered_set<std::string, Hash, std::equal_to<>>;
  struct Group {
    std::string_view form;
    std::size_t length = 0;
    Windows windows;
  };

  void add(std::string_view form, std::string_view text, std::size_t window);
  void find_in(std::string_view text, const std::vector<std::size_t>* places,
               std::vector<Sighting>& found) const;

  std::vector<Group> groups_;
  std::bitset<65536> begins_;  // by the first two bytes of a window
  std::size_t reach_ = 0;
};

// Hides several of them in what is stored of a client's words.
class SecretMask {
 public:
  // `canary`: the run's token, of which a part is too much; empty: none. `sensitive`: texts by
  // name.
  SecretMask(const std::vector<std::string>& secrets, const std::string& canary,
             const std::vector<NameValue>& sensitive = {});

  std::vector<Span> find(std::string_view text) const;  // in order; those that overlap are one
  std::string operator()(std::string_view text) const;
  std::size_t reach() const { return reach_; }

 private:
  void add(std::string_view text, SecretForms::Match match);

  std::vector<SecretForms> forms_;
  std::size_t reach_ = 0;
};

// Looks for one text in a stream of any length.
class SecretWatch {
 public:
  SecretWatch(std::string_view secret, SecretForms::Match match) : forms_(secret, match) {}

  void take(std::string_view chunk);

  std::uint64_t hits() const { return hits_; }
  const std::set<std::string>& seen() const { return seen_; }  // forms
  const SecretForms& forms() const { return forms_; }

 private:
  SecretForms forms_;
  std::string carry_;  // the end of what came, as long as the reach
  std::uint64_t taken_ = 0;
  std::uint64_t counted_to_ = 0;  // what begins before belongs to a sighting that was counted
  std::uint64_t hits_ = 0;
  std::set<std::string> seen_;
};

}  // namespace mishap::client_tests
