#include "client-tests/checks/catalog.h"

#include <algorithm>

namespace mishap::client_tests {

// An explicit list: a static library drops objects that only register themselves.
const std::vector<const CheckDescriptor*>& check_descriptors() {
  static const std::vector<const CheckDescriptor*> kAll = {
      &kFaultActivated,
      &kBaselineHealthy,
      &kEvidenceClean,
      &kNoDuplicateEffects,
      &kNoBlindRetryOfUnsafe,
      &kIdempotencyKeyPresent,
      &kKeyStableAcrossAttempts,
      &kKeyFreshPerOperation,
      &kKeyBoundToPayload,
      &kKeyUnpredictable,
      &kInProgressConflictHandled,
      &kReconcilesUnknownOutcome,
      &kNoLostEffects,
      &kOutcomeTruthful,
      &kNoPrematureSuccess,
      &kResponseBoundToRequest,
      &kUnknownReportedAsPending,
      &kEveryOperationAccounted,
      &kInvalidResponseRejected,
      &kExitCodeTruthful,
      &kAccountingAccurate,
      &kErrorCategoryDistinct,
      &kNoSecretsInLogs,
      &kLogVolumeBounded,
      &kLogInjectionSafe,
      &kBoundedAttempts,
      &kAttemptTimeoutBounded,
      &kTotalDeadlineBounded,
      &kInnerTimeoutBelowBudget,
      &kConnectionReleasedAfterTimeout,
      &kBoundedResponseSize,
      &kRetriesOnFreshConnection,
      &kRecoversFromTransient,
      &kNoRetryOnPermanentError,
      &kStopsOnPermanentAfterTransient,
      &kRetriesOnlyFailedItems,
      &kNoImmediateRetry,
      &kBackoffGrowth,
      &kBackoffCapped,
      &kJitterPresent,
      &kJitterFamily,
      &kNoThunderingHerd,
      &kSingleRetryLayer,
      &kRetryAmplification,
      &kRetryBudget,
      &kRetryAfterHonored,
      &kRetryAfterRobust,
      &kRetryAfterSpread,
      &kRateLimitRespected,
      &kRedirectsBounded,
      &kNoCredentialLeakOnRedirect,
      &kTlsVerificationEnforced,
      &kKeyPersistedBeforeCall,
      &kResumesFromCheckpoint,
      &kCancellationStopsRetries,
      &kAsExpected,
  };
  return kAll;
}

const CheckDescriptor* find_check(std::string_view name) {
  const auto& all = check_descriptors();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const CheckDescriptor* check) { return check->name == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace mishap::client_tests
