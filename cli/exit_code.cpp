#include "cli/exit_code.h"

#include "cli/commands.h"

namespace mishap::cli {

int exit_code_of(client_tests::Verdict verdict) {
  switch (verdict) {
    case client_tests::Verdict::Pass:
      return kExitPass;
    case client_tests::Verdict::Fail:
      return kExitFail;
    case client_tests::Verdict::Inconclusive:
    case client_tests::Verdict::NotApplicable:
      return kExitInconclusive;
  }
  return kExitInternal;
}

}  // namespace mishap::cli
