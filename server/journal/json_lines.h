#pragma once

#include "mishap/journal.h"
#include "server/journal/line_buffer.h"

namespace mishap::server {

// One record as one line of a journal, its newline included. The format is told in json_lines.cpp.
void append_line(LineBuffer& text, const Connection& record);
void append_line(LineBuffer& text, const ListenerSpell& record);
void append_line(LineBuffer& text, const TurnedAway& record);
void append_line(LineBuffer& text, const Exchange& record);
void append_line(LineBuffer& text, const Effect& record);

}  // namespace mishap::server
