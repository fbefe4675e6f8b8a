#include <algorithm>
#include <array>
#include <utility>

#include "server/plan/step.h"

namespace mishap::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_field(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// RFC 9110 sections 15.2, 15.3.5 and 15.4.5: such an answer ends with its head. RFC 9112
// section 6.3 makes the client read it so whatever its fields say.
bool ends_with_head(StatusCode status) {
  return status < 200 || status == 204 || status == 304;
}

// RFC 9110 section 15.3.6: a 205 has no content, but says so like any other answer.
bool has_no_content(StatusCode status) {
  return ends_with_head(status) || status == 205;
}

// A scenario that writes framing fields itself wants them wrong: they stand as written.
bool frames_itself(const SendAnswer& answer) {
  return std::any_of(answer.headers.begin(), answer.headers.end(), [](const NameValue& field) {
    return same_field(field.name, "Content-Length") || same_field(field.name, "Transfer-Encoding");
  });
}

void append(Steps& steps, SendAnswer answer) {
  steps.emplace_back(Send{Part::Head, encode_head(answer), 0, {}});
  if (answer.head_only || has_no_content(answer.status)) return;
  if (!answer.body.empty()) steps.emplace_back(Send{Part::Body, std::move(answer.body), 0, {}});
  if (!answer.filler) return;
  Filler& filler = *answer.filler;
  if (filler.times > 0) {
    steps.emplace_back(SendMany{Part::Body, std::move(filler.unit), filler.times, {}});
  }
  if (!filler.rest.empty()) steps.emplace_back(Send{Part::Body, std::move(filler.rest), 0, {}});
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  head += value;
  head += "\r\n";
}

struct Phrase {
  StatusCode status;
  std::string_view text;
};

// RFC 9110 section 15, and what the registry of status codes adds (RFC 3229, 4918, 5842, 6585,
// 7725, 8297, 8470).
constexpr std::array kPhrases = {
    Phrase{100, "Continue"},
    Phrase{101, "Switching Protocols"},
    Phrase{102, "Processing"},
    Phrase{103, "Early Hints"},
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{203, "Non-Authoritative Information"},
    Phrase{204, "No Content"},
    Phrase{205, "Reset Content"},
    Phrase{206, "Partial Content"},
    Phrase{207, "Multi-Status"},
    Phrase{208, "Already Reported"},
    Phrase{226, "IM Used"},
    Phrase{300, "Multiple Choices"},
    Phrase{301, "Moved Permanently"},
    Phrase{302, "Found"},
    Phrase{303, "See Other"},
    Phrase{304, "Not Modified"},
    Phrase{305, "Use Proxy"},
    Phrase{307, "Temporary Redirect"},
    Phrase{308, "Permanent Redirect"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{402, "Payment Required"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{407, "Proxy Authentication Required"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{410, "Gone"},
    Phrase{411, "Length Required"},
    Phrase{412, "Precondition Failed"},
    Phrase{413, "Content Too Large"},
    Phrase{414, "URI Too Long"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{416, "Range Not Satisfiable"},
    Phrase{417, "Expectation Failed"},
    Phrase{421, "Misdirected Request"},
    Phrase{422, "Unprocessable Content"},
    Phrase{423, "Locked"},
    Phrase{424, "Failed Dependency"},
    Phrase{425, "Too Early"},
    Phrase{426, "Upgrade Required"},
    Phrase{428, "Precondition Required"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{451, "Unavailable For Legal Reasons"},
    Phrase{500, "Internal Server Error"},
    Phrase{501, "Not Implemented"},
    Phrase{502, "Bad Gateway"},
    Phrase{503, "Service Unavailable"},
    Phrase{504, "Gateway Timeout"},
    Phrase{505, "HTTP Version Not Supported"},
    Phrase{506, "Variant Also Negotiates"},
    Phrase{507, "Insufficient Storage"},
    Phrase{508, "Loop Detected"},
    Phrase{511, "Network Authentication Required"},
};

}  // namespace

std::string_view reason_phrase(StatusCode status) {
  const auto* found =
      std::find_if(kPhrases.begin(), kPhrases.end(),
                   [status](const Phrase& phrase) { return phrase.status == status; });
  return found == kPhrases.end() ? std::string_view("Unassigned") : found->text;
}

std::string encode_head(const SendAnswer& answer) {
  const std::uint64_t size = has_no_content(answer.status) ? 0 : answer.body_size();
  const std::string length = std::to_string(size);
  std::string head;
  head.reserve(256);
  head += "HTTP/1.1 ";
  head += std::to_string(answer.status);
  head += ' ';
  head += answer.reason.empty() ? reason_phrase(answer.status) : std::string_view(answer.reason);
  head += "\r\n";
  const bool counts = answer.measured && !answer.head_only && !ends_with_head(answer.status);
  for (const NameValue& field : answer.headers) {
    const bool is_mark = counts && same_field(field.name, "Content-Length");
    append_field(head, field.name, is_mark ? length : field.value);
  }
  const bool says_nothing = answer.measured && answer.head_only;
  if (!ends_with_head(answer.status) && !frames_itself(answer) && !says_nothing &&
      !answer.unframed) {
    append_field(head, "Content-Length", length);
  }
  head += "\r\n";
  return head;
}

Steps encode(Steps steps) {
  Steps encoded;
  encoded.reserve(steps.size() + 1);
  for (Step& step : steps) {
    if (auto* answer = std::get_if<SendAnswer>(&step)) {
      append(encoded, std::move(*answer));
    } else {
      encoded.push_back(std::move(step));
    }
  }
  return encoded;
}

}  // namespace mishap::server
