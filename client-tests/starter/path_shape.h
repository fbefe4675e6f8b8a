#pragma once

#include <string>
#include <string_view>
#include <vector>

// What a path says about the vendor behind it.
namespace mishap::client_tests {

// "/v1/orders/17" -> {"v1", "orders", "17"}; a slash at the end is one empty segment more.
std::vector<std::string> segments_of(std::string_view path);
std::string path_of(const std::vector<std::string>& segments);

// Digits, a UUID, a long hexadecimal or mixed word, a prefix with a number ("bk_1", "ord-1993"):
// what stands for one item, not for a kind of item.
bool looks_like_id(std::string_view segment);

// "v1", "v2.1", "api", "rest": in front of every path.
bool is_prefix_word(std::string_view segment);

// Only characters that a path of an api file takes as they are: no blanks, braces, colons, stars.
bool is_plain_path(std::string_view path);

// "/customers/42/orders" -> "/customers/:id/orders".
std::string with_ids_collapsed(const std::vector<std::string>& segments);

// POST .../token, .../login: it hands out a credential.
bool gives_token(const std::vector<std::string>& segments);

// POST .../search, .../query, /graphql: it only reads.
bool only_reads(const std::vector<std::string>& segments);

}  // namespace mishap::client_tests
