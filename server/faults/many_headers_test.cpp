#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/faults/catalog.h"
#include "server/faults/fault_fixture.h"

namespace mishap::server {
namespace {

TEST(ManyHeaders, AreAddedToWhatIsThere) {
  EXPECT_EQ(planned(many_headers_fault(), Point::ResponseHead, {{"count", "2"}, {"size", "3B"}}),
            R"(answer 201 [Content-Type: application/json] [X-Filler-1: xxx] [X-Filler-2: xxx] )"
            R"("{"id":"bk_1"}" | finish)");
  EXPECT_EQ(complaints(many_headers_fault(), Point::ResponseHead,
                       {{"count", "1000000"}, {"size", "1KiB"}}),
            "fault \"many_headers\": these are more than 64 MiB in all");
}

}  // namespace
}  // namespace mishap::server
