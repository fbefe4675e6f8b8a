#pragma once

#include <string>
#include <string_view>

#include <mishap/journal.h>

// What kind of body a request carries, as far as that decides whether two can be compared.
namespace mishap::client_tests {

// The value of a header by its name in any case; empty: none.
std::string header_of(const server::RequestFacts& request, std::string_view name);

// Every attempt may have a boundary of its own, which changes the bytes and not the meaning.
bool is_multipart(const server::RequestFacts& request);

// Equal meaning has an equal content hash: JSON, forms, multipart, plain text. A compressed body
// holds a time stamp; XML, signed, encrypted and binary bodies can say the same in other bytes.
bool is_comparable(const server::RequestFacts& request);

}  // namespace mishap::client_tests
