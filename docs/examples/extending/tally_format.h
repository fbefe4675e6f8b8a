#pragma once

#include <mishap/report.h>

namespace mishap::reports {
std::string render_tally(const client_tests::SuiteVerdict& verdict,
                         const client_tests::Suite& suite, const RenderOptions& options);
}  // namespace mishap::reports
