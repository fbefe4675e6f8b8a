#pragma once

#include "client-tests/verdict/judging.h"

namespace mishap::client_tests {

// One recording that was played, judged whole: findings, merged verdict, line, picture. The suite
// tells what is known.
CaseVerdict judge_case(const Case& value, const Suite& suite, const Checks& checks);

// One that says nothing by itself: not run, or run by a client that does not even work when all is
// well.
CaseVerdict without_judgement(const Recording& recording, Verdict verdict, std::string why);

}  // namespace mishap::client_tests
