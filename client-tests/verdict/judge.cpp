#include "client-tests/verdict/judging.h"

// Apart from judging.cpp, so that its tests need not bring the whole catalogue along.
namespace mishap::client_tests {

SuiteVerdict judge(const Suite& suite) {
  return judge_with(suite, check_descriptors());
}

}  // namespace mishap::client_tests
