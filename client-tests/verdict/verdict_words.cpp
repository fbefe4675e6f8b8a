#include <mishap/verdict.h>

namespace mishap::client_tests {

std::string_view to_string(Ruling ruling) {
  switch (ruling) {
    case Ruling::Pass:
      return "pass";
    case Ruling::Fail:
      return "fail";
    case Ruling::Inconclusive:
      return "inconclusive";
    case Ruling::NotApplicable:
      return "not_applicable";
    case Ruling::NotObserved:
      return "not_observed";
  }
  return "?";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "pass";
    case Verdict::Fail:
      return "fail";
    case Verdict::Inconclusive:
      return "inconclusive";
    case Verdict::NotApplicable:
      return "not_applicable";
    case Verdict::Known:
      return "known";
  }
  return "?";
}

}  // namespace mishap::client_tests
