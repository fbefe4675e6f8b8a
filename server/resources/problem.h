#pragma once

#include <string>
#include <string_view>

#include "server/plan/step.h"

namespace mishap::server {

// Problem types that a client can tell apart (RFC 9457). Stable: they are part of the mock API.
namespace problems {
inline constexpr std::string_view kBlank = "about:blank";
inline constexpr std::string_view kNoRoute = "https://mishap.invalid/problems/no-route";
inline constexpr std::string_view kNotAllowed =
    "https://mishap.invalid/problems/method-not-allowed";
inline constexpr std::string_view kBadRequest = "https://mishap.invalid/problems/bad-request";
inline constexpr std::string_view kUnauthorized = "https://mishap.invalid/problems/unauthorized";
inline constexpr std::string_view kNotFound = "https://mishap.invalid/problems/not-found";
inline constexpr std::string_view kBadJson = "https://mishap.invalid/problems/bad-json";
inline constexpr std::string_view kMediaType = "https://mishap.invalid/problems/media-type";
inline constexpr std::string_view kInvalid = "https://mishap.invalid/problems/invalid";
inline constexpr std::string_view kReferenceTaken =
    "https://mishap.invalid/problems/reference-taken";
inline constexpr std::string_view kUpstream = "https://mishap.invalid/problems/upstream";
inline constexpr std::string_view kKeyMissing =
    "https://mishap.invalid/problems/idempotency-key-missing";
inline constexpr std::string_view kKeyInProgress =
    "https://mishap.invalid/problems/idempotency-key-in-progress";
inline constexpr std::string_view kKeyReused =
    "https://mishap.invalid/problems/idempotency-key-reused";
}  // namespace problems

// An application/problem+json answer; the title is the status's phrase.
SendAnswer problem_answer(StatusCode status, std::string_view type, std::string_view detail);

// What such an answer says; empty where it is none.
std::string problem_detail(const SendAnswer& answer);

}  // namespace mishap::server
