#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/control/judge.h"
#include "server/control/problem.h"
#include "server/control/run_book.h"

// The JSON of the control API: what comes in is read strictly (an unknown member is an error with
// the nearest known one), what goes out is made here.
namespace mishap::server::control {

struct EndRequest {
  RunEnd how;
  std::string control;  // id of an ended healthy run; empty: none
};

tl::expected<RunRequest, Problem> read_run_request(std::string_view json);
tl::expected<EndRequest, Problem> read_end_request(std::string_view json);  // empty: all by default

// One object, an array of objects, or JSON Lines -> one object a line. What cannot be read as any
// of these is left as it came: whoever reads the lines says what is wrong with which.
std::string outcome_lines(std::string_view body);

std::string begun_json(const RunView& view);
std::string run_json(const RunView& view);
std::string list_json(const std::vector<RunView>& views);
std::string taken_json(const OutcomesTaken& taken);
std::string judged_json(const std::string& id, const Judged& judged);
std::string health_json(const std::string& version, std::size_t runs);

}  // namespace mishap::server::control
