#include "cli/url_candidates.h"

#include <gtest/gtest.h>

namespace mishap::cli {
namespace {

TEST(UrlCandidates, AreWordsAndVariablesThatHoldAUrl) {
  const auto found = url_candidates({"./sync", "--base=https://me:x@api.example/v1?q"},
                                    {{"OTHER", "http://one.example"},
                                     {"VENDOR_URL", "https://two.example/x"},
                                     {"HTTP_PROXY", "http://proxy.example"},
                                     {"TEXT", "see http://three.example"}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].url, "https://api.example");
  EXPECT_EQ(found[1].name, "VENDOR_URL") << "names that tell come first";
  EXPECT_EQ(found[2].name, "OTHER");
}

TEST(UrlCandidates, AreNotWhereTheServiceItselfListens) {
  EXPECT_TRUE(
      url_candidates({"node", "s.js"}, {{"SERVICE_URL", "http://127.0.0.1:{free_port}"}}).empty());
}

}  // namespace
}  // namespace mishap::cli
