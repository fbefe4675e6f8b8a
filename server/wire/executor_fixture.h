#pragma once

#include <string>

#include "server/wire/wire_fixture.h"

namespace mishap::server {

// Steps that a scripted engine gives, performed on a real socket.
class ExecutorTest : public WireTest {
 protected:
  // One request, whose answer is read to the end of the connection.
  Receipt play(const std::string& request, RawClient& client) {
    client.send(request);
    client.receive_to_end();
    return engine_->exchanges_once_ended(1).at(0).receipt;
  }
  void apply_with(Steps steps) {
    engine_->at_apply = [steps](const RequestHead&) { return steps; };
    begin();
  }
};

}  // namespace mishap::server
