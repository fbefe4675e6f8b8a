#pragma once

#include "mishap/report.h"

// One function for each format; catalog.cpp lists them.
namespace mishap::reports {

std::string render_json(const client_tests::SuiteVerdict& verdict, const client_tests::Suite& suite,
                        const RenderOptions& options);
std::string render_junit(const client_tests::SuiteVerdict& verdict,
                         const client_tests::Suite& suite, const RenderOptions& options);
std::string render_console(const client_tests::SuiteVerdict& verdict,
                           const client_tests::Suite& suite, const RenderOptions& options);

}  // namespace mishap::reports
