#include "client-tests/clients/booking_client/log.h"

#include <iostream>
#include <sstream>

namespace booking {

void log_attempt(const AttemptLine& line) {
  std::ostringstream out;
  out << "op=" << line.operation << " call=" << line.call << " attempt=" << line.attempt
      << " status=" << line.status << " took_ms=" << line.took.count()
      << " category=" << line.category;
  if (!line.what.empty()) out << " error=\"" << line.what << '"';
  out << " next=\"" << line.next << "\"\n";
  std::cerr << out.str();
}

void log_note(const std::string& note) {
  std::cerr << note + '\n';
}

}  // namespace booking
