#include "rpc/connect/call.h"

#include <charconv>

namespace viv::connect {
namespace {

constexpr std::size_t kTimeoutDigitsMax = 10;  // Connect's own limit
constexpr std::chrono::seconds kKeepaliveMax{24 * 60 * 60};

std::optional<std::uint64_t> ParseHeaderNumber(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The Connect error for a body that could not be read.
tl::unexpected<RpcError> BodyError(const Error& error) {
  bool broken = error.code == ErrorCode::kInvalidArgument;
  return FailRpc(broken ? Code::kInvalidArgument : Code::kUnavailable, error.message);
}

}  // namespace

RpcResult<Call> ReadCall(const http::Request& request) {
  Call call{.request = request, .timeout = std::nullopt};
  std::string_view version = request.headers.Get("connect-protocol-version");
  if (!version.empty() && version != "1") {
    return FailRpc(Code::kInvalidArgument, "connect-protocol-version must be \"1\"");
  }
  for (const char* name : {"content-encoding", "connect-content-encoding"}) {
    std::string_view encoding = request.headers.Get(name);
    if (!encoding.empty() && encoding != "identity") {
      return FailRpc(Code::kUnimplemented,
                     "unknown compression \"" + std::string(encoding) + "\": send identity");
    }
  }
  std::string_view timeout = request.headers.Get("connect-timeout-ms");
  if (!timeout.empty()) {
    auto value = ParseHeaderNumber(timeout);
    if (!value || timeout.size() > kTimeoutDigitsMax) {
      return FailRpc(Code::kInvalidArgument,
                     "connect-timeout-ms must be a positive number of at most 10 digits");
    }
    if (*value > 0) call.timeout = std::chrono::milliseconds(*value);
  }
  auto keepalive = ParseHeaderNumber(request.headers.Get("keepalive-ping-interval"));
  if (keepalive && *keepalive > 0 && *keepalive <= std::uint64_t(kKeepaliveMax.count())) {
    call.keepalive = std::chrono::seconds(*keepalive);
  }
  return call;
}

Task<RpcResult<std::string>> ReadBody(http::Request& request) {
  std::string body = std::move(request.body);
  while (request.body_stream != nullptr && body.size() <= kMessageBytesMax) {
    Result<std::string> piece = co_await request.body_stream->Read();
    if (!piece) co_return BodyError(piece.error());
    if (piece->empty()) break;
    body += *piece;
  }
  if (body.size() > kMessageBytesMax) {
    co_return FailRpc(Code::kResourceExhausted, "the message is above the limit of " +
                                                    std::to_string(kMessageBytesMax) + " bytes");
  }
  co_return body;
}

BodyMessageReader::BodyMessageReader(http::Request& request,
                                     Codec codec,
                                     const Schema& schema,
                                     std::string_view type)
    : request_(request), codec_(codec), schema_(schema), type_(type) {
  splitter_.Feed(request.body);
}

Task<RpcResult<std::optional<json::object>>> BodyMessageReader::Read() {
  while (!ended_) {
    RpcResult<std::optional<Envelope>> next = splitter_.Next();
    if (!next) co_return tl::unexpected<RpcError>(std::move(next).error());
    if (next->has_value()) {
      if (((*next)->flags & kFlagEndStream) != 0) break;
      auto message = ReadMessage(codec_, schema_, type_, (*next)->message);
      if (!message) co_return tl::unexpected<RpcError>(std::move(message).error());
      co_return std::optional<json::object>(*std::move(message));
    }
    std::string piece;
    if (request_.body_stream != nullptr) {
      Result<std::string> read = co_await request_.body_stream->Read();
      if (!read) co_return BodyError(read.error());
      piece = *std::move(read);
    }
    if (piece.empty()) ended_ = true;
    splitter_.Feed(piece);
  }
  if (std::exchange(ended_, true) && !splitter_.empty()) {
    co_return FailRpc(Code::kInvalidArgument, "the stream ends within a message");
  }
  co_return std::optional<json::object>();
}

}  // namespace viv::connect
