#include "dialects/e2b/query.h"

#include <algorithm>
#include <charconv>

#include "base/base64.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kPageItemsMax = 100;
constexpr std::string_view kTokenSeparator = "__";
constexpr std::size_t kTokenBytesMax = 512;

// '+' is a space, as in forms.
std::optional<std::string> QueryUnescape(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return PercentDecode(spaced);
}

bool HasQueryName(std::string_view query, std::string_view name) {
  for (std::string_view pair : Split(query, '&')) {
    if (pair.substr(0, pair.find('=')) == name) return true;
  }
  return false;
}

}  // namespace

void QueryFields::Refuse(std::string message) {
  if (ok()) status_ = Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::optional<std::string> QueryFields::Text(std::string_view name) {
  if (!ok()) return std::nullopt;
  std::optional<std::string> value = request_.Query(name);
  // The request has no value for a broken escape; that is a mistake, not an absence.
  if (!value && HasQueryName(request_.query, name)) {
    Refuse("Invalid parameter '" + std::string(name) + "': it is not properly encoded");
  }
  return value;
}

std::optional<std::int64_t> QueryFields::Integer(std::string_view name,
                                                 std::int64_t least,
                                                 std::int64_t most) {
  std::optional<std::string> text = Text(name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  auto read = std::from_chars(text->data(), end, value);
  if (!text->empty() && read.ec == std::errc() && read.ptr == end && value >= least &&
      value <= most) {
    return value;
  }
  std::string range = most == INT64_MAX
                          ? "at least " + std::to_string(least)
                          : "from " + std::to_string(least) + " to " + std::to_string(most);
  Refuse("Invalid parameter '" + std::string(name) + "': a whole number " + range + " is expected");
  return std::nullopt;
}

std::optional<std::string> QueryFields::Choice(std::string_view name,
                                               const std::vector<std::string>& choices) {
  std::optional<std::string> text = Text(name);
  if (!text) return std::nullopt;
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return text;
  Refuse("Invalid parameter '" + std::string(name) + "': " + JoinWithOr(choices) + " is expected");
  return std::nullopt;
}

std::size_t QueryFields::Limit() {
  return static_cast<std::size_t>(Integer("limit", 1, kPageItemsMax).value_or(kPageItemsMax));
}

Result<std::map<std::string, std::string>> ParseMetadataFilter(std::string_view text) {
  std::map<std::string, std::string> filter;
  auto wrong = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid metadata filter '" + Printable(text) +
                    "': key=value pairs joined by '&' are expected, keys and values URL-encoded");
  };
  std::optional<std::string> pairs = QueryUnescape(text);
  if (!pairs) return wrong();
  if (pairs->empty()) return filter;
  for (std::string_view pair : Split(*pairs, '&')) {
    std::vector<std::string_view> parts = Split(pair, '=');
    if (parts.size() != 2) return wrong();
    std::optional<std::string> key = QueryUnescape(parts[0]);
    std::optional<std::string> value = QueryUnescape(parts[1]);
    if (!key || !value) return wrong();
    filter[*key] = *value;
  }
  return filter;
}

std::string EncodePageToken(const PageToken& token) {
  std::string text = TimeText(token.at_us).append(kTokenSeparator).append(token.id);
  if (token.order == PageToken::Order::kAscending) text.append(kTokenSeparator).append("asc");
  return EncodeBase64Url(text);
}

Result<PageToken> DecodePageToken(std::string_view text, PageToken::Order order) {
  auto wrong = [](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, "Invalid parameter 'nextToken': " + std::string(why));
  };
  if (text.size() > kTokenBytesMax) return wrong("it is too long");
  std::optional<std::string> plain = DecodeBase64(text);
  if (!plain) return wrong("it is not one that a list gave");
  PageToken token;
  std::string_view rest = *plain;
  std::size_t cut = rest.find(kTokenSeparator);
  if (cut == std::string_view::npos) return wrong("it is not one that a list gave");
  std::optional<std::int64_t> at = ParseTime(rest.substr(0, cut));
  rest.remove_prefix(cut + kTokenSeparator.size());
  cut = rest.find(kTokenSeparator);
  if (cut != std::string_view::npos) {
    if (rest.substr(cut + kTokenSeparator.size()) != "asc")
      return wrong("it is not one that a list gave");
    token.order = PageToken::Order::kAscending;
    rest = rest.substr(0, cut);
  }
  if (!at || rest.empty()) return wrong("it is not one that a list gave");
  if (token.order != order) return wrong("it belongs to a list in the other order");
  token.at_us = *at;
  token.id = std::string(rest);
  return token;
}

}  // namespace viv::e2b
