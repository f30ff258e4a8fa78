#pragma once
// Reads query parameters. As with Fields the first wrong one is remembered and asked for once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace viv::e2b {

class QueryFields {
 public:
  explicit QueryFields(const http::Request& request) : request_(request) {}

  bool ok() const { return status_.has_value(); }
  const Error& error() const { return status_.error(); }

  std::optional<std::string> Text(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<std::string> Choice(std::string_view name, const std::vector<std::string>& choices);
  std::size_t Limit();  // of a page: 1 to 100, 100 when absent

  void Refuse(std::string message);

 private:
  const http::Request& request_;
  Status status_;
};

// The metadata filter after the query's own decoding. Clients encode every key and value, and then
// the whole once more: "a%2520b%3Dc" is {"a b": "c"}. Empty text is no filter.
Result<std::map<std::string, std::string>> ParseMetadataFilter(std::string_view text);

// Where a page ended; opaque to clients. It holds for the order it was made under.
struct PageToken {
  enum class Order { kDescending, kAscending };
  std::int64_t at_us = 0;
  std::string id;
  Order order = Order::kDescending;

  bool operator==(const PageToken&) const = default;
};
std::string EncodePageToken(const PageToken& token);
Result<PageToken> DecodePageToken(std::string_view text, PageToken::Order order);

}  // namespace viv::e2b
