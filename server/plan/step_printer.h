#pragma once

#include <string>

#include "server/plan/step.h"

// For tests: a list of steps as one line a person can read, so that plans are compared as text.
namespace mishap::server {

// {Wait{2s}, Send{Head, "HTTP/1.1 ...\r\n\r\n"}} -> `wait 2s | send head "HTTP/1.1 ..."`, line
// breaks shown as \r\n. An empty list is "(nothing)".
std::string print(const Steps& steps);

}  // namespace mishap::server
