#include "gateway/rules/callback_client.h"

#include "base/text.h"
#include "gateway/rules/header_check.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kCallbackHeadersMax = 64;
constexpr std::size_t kResponseDepthMax = 16;

tl::unexpected<Error> BadResponse(std::string why) {
  return Fail(ErrorCode::kUnavailable, "the callback's answer " + std::move(why));
}

}  // namespace

Result<http::Headers> ParseCallbackResponse(std::string_view response) {
  Result<json::value> read = ParseJson(response, kResponseDepthMax);
  if (!read) return BadResponse("is no JSON");
  const json::value* given = Find(*read, "headers");
  if (given == nullptr || !given->is_object())
    return BadResponse(R"(is not {"headers": {"Name": "value"}})");
  if (given->get_object().size() > kCallbackHeadersMax) return BadResponse("has too many headers");
  http::Headers headers;
  for (const auto& [name, value] : given->get_object()) {
    const std::string_view key(name.data(), name.size());
    if (!IsHeaderName(key)) return BadResponse("has a header whose name is malformed");
    if (IsReservedHeader(key))
      return BadResponse("has the header " + std::string(key) + ", which is the gateway's own");
    if (!value.is_string() || !IsHeaderValue(View(value.get_string())))
      return BadResponse(
          "has no text, or a line break or other control character, as the value of " +
          std::string(key));
    if (headers.Has(key)) return BadResponse("has the header " + std::string(key) + " twice");
    headers.Add(std::string(key), std::string(View(value.get_string())));
  }
  return headers;
}

Task<Result<http::Headers>> CallbackClient::Ask(std::string url,
                                                http::Headers headers,
                                                std::string body) {
  if (!headers.Has("Accept")) headers.Set("Accept", "application/json");
  // The receiver relies on these, so the caller cannot replace them.
  headers.Set("Content-Type", "application/json");
  headers.Set("X-LangSmith-Signature-JWT", signer_.Sign(url, body));
  Result<PostResponse> posted =
      co_await PostTo(std::move(url), std::move(headers), std::move(body));
  if (!posted) co_return Fail(ErrorCode::kUnavailable, std::move(posted).error().message);
  if (posted->status < 200 || posted->status > 299)
    co_return Fail(ErrorCode::kUnavailable,
                   "the callback answered with status " + std::to_string(posted->status));
  co_return ParseCallbackResponse(posted->body);
}

Task<Result<PostResponse>> CallbackClient::PostTo(std::string url,
                                                  http::Headers headers,
                                                  std::string body) {
  ASSIGN_OR_CO_RETURN(PostResponse posted, co_await Post(tls_, std::move(url), std::move(headers),
                                                         std::move(body), limits_));
  if (posted.status >= 300 && posted.status <= 399)
    co_return Fail(ErrorCode::kUnavailable,
                   "it answered with a redirect, which is not followed: give the URL it leads to");
  co_return posted;
}

}  // namespace viv::gateway
