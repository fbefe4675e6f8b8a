#include "server/plan/step.h"

namespace mishap::server {
namespace {

struct NameOf {
  std::string_view operator()(const ReadBody&) const { return "read_body"; }
  std::string_view operator()(const Wait&) const { return "wait"; }
  std::string_view operator()(const Apply&) const { return "apply"; }
  std::string_view operator()(const SendAnswer&) const { return "send_answer"; }
  std::string_view operator()(const Send&) const { return "send"; }
  std::string_view operator()(const SendMany&) const { return "send_many"; }
  std::string_view operator()(const AwaitAcknowledged&) const { return "await_acknowledged"; }
  std::string_view operator()(const Drain&) const { return "drain"; }
  std::string_view operator()(const CloseConnection&) const { return "close_connection"; }
  std::string_view operator()(const ResetConnection&) const { return "reset_connection"; }
  std::string_view operator()(const Stall&) const { return "stall"; }
  std::string_view operator()(const Finish&) const { return "finish"; }
};

}  // namespace

std::string_view name_of(const Step& step) {
  return std::visit(NameOf{}, step);
}

}  // namespace mishap::server
