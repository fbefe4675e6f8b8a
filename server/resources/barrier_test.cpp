#include <gtest/gtest.h>

#include "server/resources/model.h"

namespace mishap::server {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Model> barrier(std::int64_t count, Duration within) {
  Params params;
  params.set("count", count);
  params.set("within", within);
  return make_model("barrier", params, 7);
}

Ruling come(Model& model, std::uint64_t exchange, Duration now) {
  return model.on_request({exchange, 0, "", "", now});
}

double reading(const std::vector<Reading>& readings, std::string_view of) {
  for (const Reading& one : readings) {
    if (one.of == of) return one.value;
  }
  return -1;
}

TEST(Barrier, HoldsTheFirstOnesAndOpensWithTheLast) {
  const auto model = barrier(3, 5s);
  const Ruling first = come(*model, 1, 1s);
  EXPECT_TRUE(first.applies);
  EXPECT_FALSE(first.opens);
  EXPECT_EQ(first.event, 7U);
  EXPECT_EQ(first.wait, Duration(5s));
  EXPECT_EQ(come(*model, 2, 3s).wait, Duration(3s)) << "all are bound by the first";
  const Ruling last = come(*model, 3, 4s);
  EXPECT_TRUE(last.applies);
  EXPECT_TRUE(last.opens);
  EXPECT_FALSE(come(*model, 4, 4s).applies) << "nobody is held afterwards";
}

TEST(Barrier, HoldsNobodyOnceTheFirstHasWaitedLongEnough) {
  const auto model = barrier(2, 5s);
  EXPECT_TRUE(come(*model, 1, 1s).applies);
  EXPECT_FALSE(come(*model, 2, 6s).applies);
  EXPECT_FALSE(come(*model, 3, 7s).applies);
  EXPECT_EQ(reading(model->on_end(1), "come"), 1);
}

TEST(Barrier, TellsInTheEndWhetherAllCame) {
  const auto model = barrier(2, 5s);
  EXPECT_EQ(reading(come(*model, 1, 1s).readings, "opened"), -1);
  come(*model, 2, 2500ms);
  const auto readings = model->on_end(1);
  EXPECT_EQ(reading(readings, "come"), 2);
  EXPECT_EQ(reading(readings, "opened"), 2.5);
  EXPECT_TRUE(model->on_end(1).empty()) << "it is over";
  EXPECT_TRUE(model->on_end(9).empty()) << "it was never held";
}

TEST(Barrier, CountsOneWhoseClientGaveUp) {
  const auto model = barrier(2, 5s);
  come(*model, 1, 1s);
  model->on_end(1);
  EXPECT_TRUE(come(*model, 2, 2s).opens);
}

}  // namespace
}  // namespace mishap::server
