#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mishap/parameters.h"

// The client's own secrets, of at least 6 characters: values whose variable is named like KEY,
// TOKEN, SECRET or PASSWORD, and what is one by where it stands in a value or in its command. They
// are shown as *** wherever the client's words are kept.
namespace mishap::client_tests {

inline constexpr std::string_view kMask = "***";

// MISHAP_ variables are the run's, and a value equal to `canary` is the run's token: neither is a
// secret of the client's. Distinct, longest first.
std::vector<std::string> secrets_of(const std::vector<NameValue>& environment,
                                    std::string_view canary,
                                    const std::vector<std::string>& command = {});

struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const Span&) const = default;
};

// Where the secrets stand in `text`, in order; those that touch the same bytes are one.
std::vector<Span> find_secrets(std::string_view text, const std::vector<std::string>& secrets);

// In order; those that overlap are one.
std::vector<Span> merged(std::vector<Span> spans);

// These places hidden; they are in order and apart.
std::string masked(std::string_view text, const std::vector<Span>& spans);

std::string mask_secrets(std::string_view text, const std::vector<std::string>& secrets);

// For a command line or an address that is stored: besides `secrets`, what is a secret by where it
// stands, as in --token=X, "-u name:X", "Authorization: X", ?api_key=X and https://name:X@host.
// $NAME is no secret.
std::string mask_word(std::string_view word, const std::vector<std::string>& secrets);
std::vector<std::string> mask_command(const std::vector<std::string>& command,
                                      const std::vector<std::string>& secrets);

}  // namespace mishap::client_tests
