#pragma once

#include <string>

#include "mishap/journal.h"

namespace mishap::server {

// One record as one line of a journal, its newline included. The format is told in json_lines.cpp.
void append_line(std::string& text, const Connection& record);
void append_line(std::string& text, const ListenerSpell& record);
void append_line(std::string& text, const TurnedAway& record);
void append_line(std::string& text, const Exchange& record);
void append_line(std::string& text, const Effect& record);

}  // namespace mishap::server
