#include <gtest/gtest.h>

#include "mishap/run.h"

namespace mishap::client_tests {
namespace {

using scenarios::Verb;

ScenarioFacts facts_with(std::vector<Verb> verbs, bool keys) {
  scenarios::Resource bookings;
  bookings.verbs = std::move(verbs);
  bookings.idempotency.enabled = keys;
  scenarios::Resource products;  // can be listed, which helps nobody who lost a booking
  products.verbs = {Verb::Read, Verb::List};
  products.idempotency.enabled = true;
  scenarios::Scenario scenario;
  scenario.apis.emplace_back().resources = {bookings, products};
  return facts_of(scenario);
}

TEST(FactsOf, AVendorOffersWhatItOffersForThingsThatAreCreated) {
  const ScenarioFacts plain = facts_with({Verb::Create}, false);
  EXPECT_FALSE(plain.offers_lookup);
  EXPECT_FALSE(plain.offers_keys);
  EXPECT_TRUE(facts_with({Verb::Create}, true).offers_keys);
  EXPECT_TRUE(facts_with({Verb::Create, Verb::List}, false).offers_lookup);
  EXPECT_FALSE(facts_with({Verb::List}, true).offers_keys);
}

}  // namespace
}  // namespace mishap::client_tests
