#pragma once

#include "mishap/verdict.h"

namespace mishap::cli {

int exit_code_of(client_tests::Verdict verdict);

}  // namespace mishap::cli
