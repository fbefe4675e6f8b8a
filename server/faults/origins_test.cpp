#include "server/faults/origins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mishap::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Origins kOrigins{"http://127.0.0.1:1",
                       {{"pay", "http://127.0.0.1:1"}, {"files", "https://127.0.0.1:2"}}};

TEST(Origins, StandWhereTheirNameStood) {
  EXPECT_EQ(with_origins("{url}/a", kOrigins), "http://127.0.0.1:1/a");
  EXPECT_EQ(with_origins("{url_files}/a?b={url_pay}", kOrigins),
            "https://127.0.0.1:2/a?b=http://127.0.0.1:1");
}

TEST(Origins, OtherBracesStayAsTheyAre) {
  for (const auto* text : {"{url_crm}/a", "{url_}", "{url_files", "{urls}", "{", ""}) {
    EXPECT_EQ(with_origins(text, kOrigins), text);
  }
}

TEST(Origins, AreKnownByName) {
  EXPECT_THAT(origins_named_in("{url_a} {url} {url_b-c}"), ElementsAre("a", "b-c"));
  EXPECT_THAT(origins_named_in("{url_} {url_x"), IsEmpty());
}

}  // namespace
}  // namespace mishap::server
