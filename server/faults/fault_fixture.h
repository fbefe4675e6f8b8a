#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/faults/fault.h"
#include "server/plan/step_printer.h"

// For the tests of faults: parameters as they would be written, the steps of an ordinary exchange,
// and exchanges whose receipts say what a test wants them to.
namespace mishap::server {

using Written = std::vector<std::pair<std::string, std::string>>;

// The map node that a file with these members gives.
Node node_of(const Written& members);
// What read_params makes of it; a test fails where there is something wrong with it.
Params params_of(const FaultDescriptor& fault, const Written& members);
// All that is wrong with it at that point, one message a line.
std::string complaints(const FaultDescriptor& fault, Point point, const Written& members);

class ScriptedDraws final : public Draws {
 public:
  explicit ScriptedDraws(double value = 0.5) : value_(value) {}
  double uniform(std::string_view purpose) override { return note(purpose); }
  double normal(std::string_view purpose) override { return note(purpose); }
  const std::vector<std::string>& purposes() const { return purposes_; }

 private:
  double note(std::string_view purpose) {
    purposes_.emplace_back(purpose);
    return value_;
  }
  double value_;
  std::vector<std::string> purposes_;
};

// What a content fault makes of a 201 with this body.
SendAnswer answer_with(const FaultDescriptor& fault, const Written& members,
                       const std::string& body = R"({"id":"bk_1","note":"hi"})");
bool is_harmless(const FaultDescriptor& fault, const Written& members);

// An exchange's own steps: nothing at accept; read_body; apply; a 201 with `{"id":"bk_1"}`, finish.
Steps ordinary(Moment moment);
// The head of that answer as it is printed.
extern const char* const kOrdinaryHead;

// What the fault makes of the moment's steps, as the engine would call it: content faults before,
// the others after encoding.
std::string planned(const FaultDescriptor& fault, Point point, const Written& members = {});
std::string planned(const FaultDescriptor& fault, Point point, Moment moment,
                    const Written& members, Steps steps, double draw = 0.5);

// A create that was read at 10 ms, took effect at 11 ms and was answered whole by 12 ms (head and
// body of 100 and 13 bytes).
Exchange answered();
// The same without an answer: the connection ended so at 12 ms.
Exchange unanswered(Ending ending);
Exchange changed(Exchange exchange, const std::function<void(Exchange&)>& change);

// "delivered", or why not.
std::string proof(const FaultDescriptor& fault, Point point, const Exchange& exchange,
                  const Written& members = {}, const Connection* connection = nullptr);
// The same of a fault at connect, by what its listener did.
std::string spell_proof(const FaultDescriptor& fault, const ListenerSpell& spell,
                        const Written& members = {});

}  // namespace mishap::server
