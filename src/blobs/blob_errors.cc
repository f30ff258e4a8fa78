#include "blobs/blob_errors.h"

#include "base/json.h"
#include "base/log.h"

namespace viv::blobs {

http::Response BlobErrorResponse(int status, std::string_view code, std::string message) {
  json::object error{{"code", json::string(code)}, {"message", std::move(message)}};
  return http::Json(status, WriteJson(json::object{{"error", std::move(error)}}));
}

http::Response BlobErrorResponse(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return BlobErrorResponse(404, "not_found", "there is no such object: ask for a new URL");
    case ErrorCode::kPermissionDenied:
      return BlobErrorResponse(403, "access_denied", error.message);
    case ErrorCode::kLimitExceeded:
      return BlobErrorResponse(413, "too_large", error.message);
    case ErrorCode::kInvalidArgument:
      return BlobErrorResponse(422, "invalid_content", error.message);
    case ErrorCode::kConflict:
      return BlobErrorResponse(409, "conflict", error.message);
    case ErrorCode::kUnavailable:
      return BlobErrorResponse(503, "unavailable", error.message);
    default:
      log::Error("blobs.failed", {{"error", error.message}});
      return BlobErrorResponse(500, "internal", "the server failed; try again");
  }
}

}  // namespace viv::blobs
