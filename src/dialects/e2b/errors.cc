#include "dialects/e2b/errors.h"

#include "base/log.h"
#include "base/text.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kMessageBytesMax = 4096;

int HttpStatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kUnauthenticated:
      return 401;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
      return 409;
    // Without Retry-After no client repeats it by itself.
    case ErrorCode::kLimitExceeded:
      return 429;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kInternal:
      return 500;
  }
  return 500;
}

}  // namespace

std::string Printable(std::string_view text, std::size_t bytes_max) {
  std::string shown(text.substr(0, bytes_max));
  if (text.size() > bytes_max) {
    // The cut may have split a character.
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80)
      shown.pop_back();
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
    shown += "...";
  }
  if (IsValidUtf8(shown)) return shown;
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return shown;
}

json::object ErrorBody(int status, std::string message) {
  return {{"code", status}, {"message", Printable(message, kMessageBytesMax)}};
}

json::object ErrorBody(const Error& error) {
  int status = HttpStatusOf(error.code);
  if (error.code == ErrorCode::kInternal) {
    log::Error("e2b.failed", {{"error", error.message}});
    return ErrorBody(status, "Internal server error");
  }
  return ErrorBody(status, error.message);
}

http::Response Failure(int status, std::string message) {
  return http::Json(status, WriteJson(ErrorBody(status, std::move(message))));
}

http::Response RenderError(const Error& error) {
  return http::Json(HttpStatusOf(error.code), WriteJson(ErrorBody(error)));
}

http::Response RenderAuthFailure(http::AuthFailure failure) {
  return Failure(401, failure == http::AuthFailure::kMissing
                          ? "An API key is needed: send it in the X-API-Key header"
                          : "Invalid API key");
}

http::Response RenderSandboxError(const Error& error, std::string_view id) {
  if (error.code != ErrorCode::kNotFound) return RenderError(error);
  return Failure(
      404, "Sandbox \"" + Printable(id, 64) + "\" doesn't exist or you don't have access to it");
}

}  // namespace viv::e2b
