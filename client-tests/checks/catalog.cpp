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
      &kDeduplicatesWithoutKey,
      &kKeyLifetimeRespected,
      &kInProgressConflictHandled,
      &kReconcilesUnknownOutcome,
      &kNoLostEffects,
      &kOutcomeTruthful,
      &kNoPrematureSuccess,
      &kResponseBoundToRequest,
      &kStaleDataLabelled,
      &kBlocksUnsafeFallback,
      &kUnknownReportedAsPending,
      &kEveryOperationAccounted,
      &kInvalidResponseRejected,
      &kExitCodeTruthful,
      &kAccountingAccurate,
      &kErrorCategoryDistinct,
      &kNoSecretsInLogs,
      &kNoSensitiveBodyInLogs,
      &kLogsCorrelateAttempts,
      &kLogVolumeBounded,
      &kLogInjectionSafe,
      &kBoundedAttempts,
      &kAttemptTimeoutBounded,
      &kTotalDeadlineBounded,
      &kInteractiveResponseTime,
      &kInnerTimeoutBelowBudget,
      &kConnectTimeoutBounded,
      &kConnectionReleasedAfterTimeout,
      &kNoResourceLeak,
      &kNoBusyWait,
      &kBoundedResponseSize,
      &kRetriesOnFreshConnection,
      &kRecoversFromTransient,
      &kNoRetryOnPermanentError,
      &kStopsOnPermanentAfterTransient,
      &kCredentialRefreshOnce,
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
      &kCircuitBreakerOpens,
      &kCircuitBreakerProbes,
      &kCircuitBreakerRecovers,
      &kBulkheadIsolated,
      &kNoStormAfterRecovery,
      &kRetryAfterHonored,
      &kRetryAfterRobust,
      &kRetryAfterSpread,
      &kRateLimitRespected,
      &kThrottleShared,
      &kRedirectsBounded,
      &kNoCredentialLeakOnRedirect,
      &kTlsVerificationEnforced,
      &kKeyPersistedBeforeCall,
      &kResumesFromCheckpoint,
      &kCancellationStopsRetries,
      &kSafeReplay,
      &kDeadLetterComplete,
      &kInputPreserved,
      &kTelemetryEmitted,
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
