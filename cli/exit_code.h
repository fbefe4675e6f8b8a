#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mishap/verdict.h"

namespace mishap::cli {

// What a run that is inconclusive ends with (--inconclusive).
enum class OnInconclusive { Error, Fail, Warn };
std::optional<OnInconclusive> on_inconclusive_named(std::string_view word);  // error, fail, warn

int exit_code_of(client_tests::Verdict verdict);

// With --inconclusive=warn single scenarios may stay open; a run that was stopped or in which
// nothing at all was judged still ends as inconclusive.
int exit_code_of(const client_tests::SuiteVerdict& verdict, OnInconclusive policy);

// A line for people where the policy changed the code; empty: it did not.
std::string policy_line(const client_tests::SuiteVerdict& verdict, OnInconclusive policy);

}  // namespace mishap::cli
