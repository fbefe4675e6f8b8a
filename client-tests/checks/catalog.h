#pragma once

#include "client-tests/checks/check.h"

// One descriptor per check, each defined in the file of its name.
namespace mishap::client_tests {

extern const CheckDescriptor kFaultActivated;
extern const CheckDescriptor kBaselineHealthy;
extern const CheckDescriptor kEvidenceClean;
extern const CheckDescriptor kNoDuplicateEffects;
extern const CheckDescriptor kNoBlindRetryOfUnsafe;
extern const CheckDescriptor kKeyFreshPerOperation;
extern const CheckDescriptor kKeyStableAcrossAttempts;
extern const CheckDescriptor kIdempotencyKeyPresent;
extern const CheckDescriptor kOutcomeTruthful;
extern const CheckDescriptor kInvalidResponseRejected;
extern const CheckDescriptor kExitCodeTruthful;
extern const CheckDescriptor kBoundedAttempts;
extern const CheckDescriptor kAttemptTimeoutBounded;
extern const CheckDescriptor kTotalDeadlineBounded;
extern const CheckDescriptor kConnectionReleasedAfterTimeout;
extern const CheckDescriptor kConnectTimeoutBounded;
extern const CheckDescriptor kNoResourceLeak;
extern const CheckDescriptor kNoBusyWait;
extern const CheckDescriptor kRetryAfterHonored;
extern const CheckDescriptor kRetryAfterRobust;
extern const CheckDescriptor kNoImmediateRetry;
extern const CheckDescriptor kRecoversFromTransient;
extern const CheckDescriptor kNoRetryOnPermanentError;
extern const CheckDescriptor kStopsOnPermanentAfterTransient;
extern const CheckDescriptor kRetriesOnFreshConnection;
extern const CheckDescriptor kRetriesOnlyFailedItems;
extern const CheckDescriptor kKeyBoundToPayload;
extern const CheckDescriptor kInProgressConflictHandled;
extern const CheckDescriptor kReconcilesUnknownOutcome;
extern const CheckDescriptor kNoLostEffects;
extern const CheckDescriptor kUnknownReportedAsPending;
extern const CheckDescriptor kEveryOperationAccounted;
extern const CheckDescriptor kTlsVerificationEnforced;
extern const CheckDescriptor kKeyPersistedBeforeCall;
extern const CheckDescriptor kResumesFromCheckpoint;
extern const CheckDescriptor kCancellationStopsRetries;
extern const CheckDescriptor kSafeReplay;
extern const CheckDescriptor kDeadLetterComplete;
extern const CheckDescriptor kInputPreserved;
extern const CheckDescriptor kTelemetryEmitted;
extern const CheckDescriptor kBackoffGrowth;
extern const CheckDescriptor kBackoffCapped;
extern const CheckDescriptor kJitterPresent;
extern const CheckDescriptor kJitterFamily;
extern const CheckDescriptor kNoThunderingHerd;
extern const CheckDescriptor kRetryAfterSpread;
extern const CheckDescriptor kSingleRetryLayer;
extern const CheckDescriptor kRetryAmplification;
extern const CheckDescriptor kNoPrematureSuccess;
extern const CheckDescriptor kResponseBoundToRequest;
extern const CheckDescriptor kAccountingAccurate;
extern const CheckDescriptor kErrorCategoryDistinct;
extern const CheckDescriptor kNoSecretsInLogs;
extern const CheckDescriptor kNoSensitiveBodyInLogs;
extern const CheckDescriptor kLogsCorrelateAttempts;
extern const CheckDescriptor kLogVolumeBounded;
extern const CheckDescriptor kInnerTimeoutBelowBudget;
extern const CheckDescriptor kRedirectsBounded;
extern const CheckDescriptor kNoCredentialLeakOnRedirect;
extern const CheckDescriptor kLogInjectionSafe;
extern const CheckDescriptor kKeyUnpredictable;
extern const CheckDescriptor kRateLimitRespected;
extern const CheckDescriptor kBoundedResponseSize;
extern const CheckDescriptor kRetryBudget;
extern const CheckDescriptor kCircuitBreakerOpens;
extern const CheckDescriptor kCircuitBreakerProbes;
extern const CheckDescriptor kCircuitBreakerRecovers;
extern const CheckDescriptor kBulkheadIsolated;
extern const CheckDescriptor kThrottleShared;
extern const CheckDescriptor kNoStormAfterRecovery;
extern const CheckDescriptor kInteractiveResponseTime;
extern const CheckDescriptor kCredentialRefreshOnce;
extern const CheckDescriptor kDeduplicatesWithoutKey;
extern const CheckDescriptor kKeyLifetimeRespected;
extern const CheckDescriptor kStaleDataLabelled;
extern const CheckDescriptor kBlocksUnsafeFallback;
extern const CheckDescriptor kAsExpected;

}  // namespace mishap::client_tests
