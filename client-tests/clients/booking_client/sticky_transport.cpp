#include "client-tests/clients/booking_client/sticky_transport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

namespace booking {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return made;
}

// The value of a field of the head by its name in lower case; empty: none.
std::string field_of(const std::string& head, std::string_view name) {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const std::size_t at = lower(head).find(start);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + start.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

template <typename T>
T number_in(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The first whole answer in the buffer, taken out of it.
std::optional<Answer> take_answer(std::string& buffer) {
  const std::size_t end = buffer.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::string head = buffer.substr(0, end + 2);
  const auto length = number_in<std::size_t>(field_of(head, "content-length"));
  if (buffer.size() - (end + 4) < length) return std::nullopt;
  Answer answer;
  answer.ending = Ending::Answered;
  answer.status = head.size() > 12 ? number_in<int>(std::string_view(head).substr(9, 3)) : 0;
  answer.content_type = field_of(head, "content-type");
  if (const std::string wait = field_of(head, "retry-after"); !wait.empty()) {
    answer.retry_after = {wait};
  }
  answer.body = buffer.substr(end + 4, length);
  buffer.erase(0, end + 4 + length);
  return answer;
}

std::string text_of(const Request& request, const std::string& host) {
  std::string text = request.method + ' ' + request.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method == "POST") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

class StickyTransport : public Transport {
 public:
  explicit StickyTransport(const std::string& origin)
      : host_(origin.substr(origin.find("//") + 2)) {}
  // It may have taken the answer to an older request and go at once: what it has just sent is to be
  // read before its end, or nobody sees that it used the connection again.
  ~StickyTransport() override {
    if (socket_ >= 0) ::shutdown(socket_, SHUT_WR);
    pollfd connection{socket_, POLLIN, 0};
    char bytes[4096];
    while (socket_ >= 0 && ::poll(&connection, 1, 300) > 0) {
      if (::recv(socket_, bytes, sizeof bytes, 0) <= 0) break;
    }
    hang_up();
  }

  Answer exchange(const Request& request, milliseconds limit) override {
    const Clock::time_point end = Clock::now() + limit;
    if (socket_ < 0 && !connect()) return without_answer(Ending::NotConnected);
    const std::string text = text_of(request, host_);
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) {
      hang_up();
      return without_answer(Ending::Lost);
    }
    while (true) {
      if (auto answer = take_answer(buffer_)) return *answer;
      const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
      if (left.count() <= 0 || !is_readable(left)) return without_answer(Ending::TimedOut);
      if (!receive()) return without_answer(Ending::Lost);
    }
  }

  void drop_connection() override {}  // what makes it wrong

 private:
  static Answer without_answer(Ending ending) {
    Answer answer;
    answer.ending = ending;
    return answer;
  }

  bool connect() {
    const std::size_t colon = host_.rfind(':');
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(number_in<std::uint16_t>(std::string_view(host_).substr(colon + 1)));
    if (::inet_pton(AF_INET, host_.substr(0, colon).c_str(), &address.sin_addr) != 1) return false;
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // The sockets interface takes every kind of address by this type.
    const auto* any = reinterpret_cast<const sockaddr*>(&address);
    if (socket_ >= 0 && ::connect(socket_, any, sizeof address) == 0) return true;
    hang_up();
    return false;
  }

  bool is_readable(milliseconds patience) const {
    pollfd entry{socket_, POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(patience.count())) > 0;
  }

  bool receive() {
    char bytes[4096];
    const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) {
      hang_up();
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  void hang_up() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
    buffer_.clear();
  }

  std::string host_;  // host:port
  int socket_ = -1;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<Transport> make_sticky_transport(const std::string& origin) {
  return std::make_unique<StickyTransport>(origin);
}

}  // namespace booking
