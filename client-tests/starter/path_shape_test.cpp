#include "client-tests/starter/path_shape.h"

#include <gmock/gmock.h>

namespace mishap::client_tests {
namespace {

TEST(LooksLikeId, TellsItemsFromKindsOfItems) {
  for (const char* id :
       {"1", "1993", "bk_1", "cus_9s6XKzkNRiz8i3", "ord-1993", "r-1",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "5f9d88a2c1", "01ARZ3NDEKTSV4RRFFQ69G5FAV"}) {
    EXPECT_TRUE(looks_like_id(id)) << id;
  }
  for (const char* word : {"orders", "v1", "line-items", "purchase_orders", "status", "me", "api",
                           "oauth2", "deadbeef", "2024-01", ""}) {
    EXPECT_FALSE(looks_like_id(word)) << word;
  }
}

TEST(Paths, CollapseIdsButNotTheVendorsVersionInFront) {
  EXPECT_EQ(with_ids_collapsed(segments_of("/v1/customers/42/orders/bk_1")),
            "/v1/customers/:id/orders/:id");
  EXPECT_EQ(with_ids_collapsed(segments_of("/1/boards")), "/1/boards");
  EXPECT_EQ(with_ids_collapsed({}), "/");
}

TEST(Paths, TakeOnlyWhatAnApiFileTakesAsItIs) {
  EXPECT_TRUE(is_plain_path("/v1/a-b_c.d~e"));
  for (const char* path :
       {"", "x", "/a b", "/{id}", "/:id", "/a*", "/a//b", "/a/", "/a\n", "/a'b"}) {
    EXPECT_FALSE(is_plain_path(path)) << path;
  }
}

TEST(Paths, KnowTheWordsOfTokensAndSearches) {
  EXPECT_TRUE(gives_token(segments_of("/oauth/token")));
  EXPECT_TRUE(gives_token(segments_of("/v1/Login")));
  EXPECT_FALSE(gives_token(segments_of("/token/orders")));
  EXPECT_TRUE(only_reads(segments_of("/v1/orders/search")));
  EXPECT_FALSE(only_reads(segments_of("/searches/orders")));
}

}  // namespace
}  // namespace mishap::client_tests
