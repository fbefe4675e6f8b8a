#include "cli/serve_options.h"

#include <fcntl.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include <fmt/format.h>

#include "cli/seed.h"
#include "mishap/host_name.h"
#include "server/control/guard.h"

namespace mishap::cli {
namespace {

bool complain_usage(const std::string& text) {
  std::cerr << "mishap serve: " << text << "\n";
  return false;
}

std::optional<Port> port_of(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > 65535) return {};
  return static_cast<Port>(value);
}

// "--control booking": the word behind it is a target, since no port looks like that.
void read_control(const ServeArguments& arguments, ServeSettings& settings) {
  if (!arguments.control) return;
  settings.control = port_of(*arguments.control);
  if (settings.control) return;
  settings.control = Port{0};
  if (!arguments.control->empty()) {
    settings.targets.insert(settings.targets.begin(), *arguments.control);
  }
}

bool read_range(const std::string& text, server::PortRange& range) {
  if (text.empty()) return true;
  const auto dash = text.find('-');
  const auto first = port_of(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : port_of(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *first > *last) {
    return complain_usage("--ports wants FIRST-LAST, as 18100-18199, not \"" + text + "\"");
  }
  range = {*first, *last};
  return true;
}

bool read_time(const std::string& option, const std::string& text, std::optional<Duration>& into) {
  if (text.empty()) return true;
  const auto value = parse_duration(text);
  if (!value) return complain_usage(option + ": " + value.error());
  if (*value <= Duration::zero()) return complain_usage(option + ": some time, as 5s");
  into = *value;
  return true;
}

// New for each server, from the machine's entropy.
std::string new_token() {
  std::random_device entropy;
  std::uniform_int_distribution<std::uint64_t> pick;
  return fmt::format("{:016x}{:016x}", pick(entropy), pick(entropy));
}

bool is_sendable(const std::string& token) {
  return token.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
             "-._~+/=") == std::string::npos;
}

bool read_token(const ServeArguments& arguments, ServeSettings& settings) {
  settings.token = arguments.token;
  const char* variable = std::getenv("MISHAP_CONTROL_TOKEN");
  if (settings.token.empty() && variable != nullptr) settings.token = variable;
  if (!is_sendable(settings.token)) {
    return complain_usage("a token is letters, digits and -._~+/=");
  }
  if (settings.token.empty() && !server::control::is_loopback(arguments.listen)) {
    settings.token = new_token();
    settings.token_is_new = true;
  }
  return true;
}

bool read_files(const ServeArguments& arguments, ServeSettings& settings) {
  settings.allow_files = arguments.allow_files;
  std::error_code ignored;
  if (arguments.allow_files.empty() ||
      std::filesystem::is_directory(arguments.allow_files, ignored))
    return true;
  return complain_usage("--allow-files: \"" + arguments.allow_files + "\" is no folder");
}

// It becomes a part of URLs that are printed, and a name of certificates.
bool read_advertise(const ServeArguments& arguments) {
  if (arguments.advertise.empty()) return true;
  const auto host = scenarios::read_named_host(arguments.advertise);
  if (host && !host->port) return true;
  return complain_usage("--advertise wants a host name or an address and nothing else" +
                        (host ? std::string() : ": " + host.error()));
}

bool fits_together(const ServeArguments& arguments, const ServeSettings& settings) {
  if (settings.targets.empty() && !settings.control) {
    return complain_usage("name an api, a scenario or a pack, or ask for --control");
  }
  const bool judged_only =
      settings.with_healthy || !arguments.reports.empty() || !arguments.out.empty();
  if (judged_only && !settings.judge) {
    return complain_usage("--with-healthy, --report and --out are for --judge");
  }
  if (arguments.threads > 1 && (settings.judge || settings.control)) {
    return complain_usage(
        "--threads is for load alone: a verdict needs one order of all that happened, so it goes "
        "with neither --judge nor --control");
  }
  if (settings.judge && settings.targets.empty()) {
    return complain_usage(
        "--judge wants a scenario or a pack; runs of the control API are judged "
        "by their own calls");
  }
  if (settings.until_quiet && settings.targets.empty()) {
    return complain_usage("--until-quiet wants a target: without one, POST /v1/end ends it");
  }
  if (arguments.port != 0 && settings.targets.size() + (settings.with_healthy ? 1U : 0U) > 1) {
    return complain_usage("--port is for one run; give --ports FIRST-LAST for several");
  }
  if (arguments.ready_fd && ::fcntl(*arguments.ready_fd, F_GETFD) < 0) {
    return complain_usage(
        fmt::format("--ready-fd: descriptor {} is not open", *arguments.ready_fd));
  }
  return true;
}

}  // namespace

std::optional<ServeSettings> read_serve(const ServeArguments& arguments) {
  ServeSettings settings;
  settings.targets = arguments.targets;
  settings.judge = arguments.judge;
  settings.with_healthy = arguments.with_healthy;
  settings.until_eof = arguments.until_eof;
  settings.run.seed = choose_seed(arguments.seed);
  settings.run.address = arguments.listen;
  settings.run.advertise = arguments.advertise;
  settings.run.port = arguments.port;
  settings.run.threads = arguments.threads;
  read_control(arguments, settings);
  auto reports = read_reports("mishap serve", arguments.reports);
  if (!reports) return {};
  settings.reports = std::move(*reports);
  const bool fine = read_range(arguments.ports, settings.run.ports) &&
                    read_time("--until-quiet", arguments.until_quiet, settings.until_quiet) &&
                    read_time("--for", arguments.for_time, settings.for_time) &&
                    read_advertise(arguments) && read_token(arguments, settings) &&
                    read_files(arguments, settings) && fits_together(arguments, settings);
  if (!fine) return {};
  return settings;
}

}  // namespace mishap::cli
