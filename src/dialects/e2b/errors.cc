#include "dialects/e2b/errors.h"

#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "http/status.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kMessageBytesMax = 4096;

std::string EscapedControl(char c) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v", kLetters = "abfnrtv";
  if (std::size_t at = kNamed.find(c); at != std::string_view::npos) return {'\\', kLetters[at]};
  return "\\x" + Hex({&c, 1});
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < 0x20 || byte == 0x7f) {
      quoted += EscapedControl(c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

json::object ErrorBody(int status, std::string message) {
  return {{"code", status}, {"message", Printable(message, kMessageBytesMax)}};
}

json::object ErrorBody(const Error& error) {
  int status = http::StatusOf(error.code);
  if (error.code == ErrorCode::kInternal) {
    log::Error("e2b.failed", {{"error", error.message}});
    return ErrorBody(status, "Internal server error");
  }
  return ErrorBody(status, error.message);
}

http::Response Failure(int status, std::string message) {
  return http::Json(status, WriteJson(ErrorBody(status, std::move(message))));
}

http::Response Failure(int status, std::string message, std::string_view error_code) {
  json::object body = ErrorBody(status, std::move(message));
  body["error_code"] = error_code;
  return http::Json(status, WriteJson(body));
}

http::Response RenderError(const Error& error) {
  return http::Json(http::StatusOf(error.code), WriteJson(ErrorBody(error)));
}

http::Response RenderAuthFailure(http::AuthFailure failure) {
  if (failure == http::AuthFailure::kTooManyRequests)
    return Failure(429, std::string(http::kTooManyRequests));
  return Failure(401, failure == http::AuthFailure::kMissing
                          ? "An API key is needed: send it in the X-API-Key header"
                          : "Invalid API key");
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  return Failure(status, std::move(message));
}

http::Response RenderSandboxError(const Error& error, std::string_view id) {
  if (error.code != ErrorCode::kNotFound) return RenderError(error);
  return Failure(
      404, "Sandbox \"" + Printable(id, 64) + "\" doesn't exist or you don't have access to it");
}

}  // namespace viv::e2b
