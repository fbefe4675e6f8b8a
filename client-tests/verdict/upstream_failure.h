#pragma once

#include <string>

#include "mishap/recording.h"

namespace mishap::client_tests {

// Why a run over an upstream proves nothing about the client: the first call that the upstream
// failed, in one sentence. Empty: it failed none.
std::string upstream_failure(const Recording& recording);

}  // namespace mishap::client_tests
