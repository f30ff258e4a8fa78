#include "dialects/langsmith/body.h"

#include "base/text.h"
#include "dialects/langsmith/errors.h"

namespace viv::langsmith {

tl::expected<json::value, http::Response> ReadJsonBody(const http::Request& request,
                                                       std::size_t bytes_max) {
  if (request.body.size() > bytes_max) {
    return tl::unexpected(Failure(
        413, "InvalidRequest",
        "the body is larger than the " + std::to_string(bytes_max >> 20) + " MiB that are read"));
  }
  if (Trim(request.body).empty())
    return tl::unexpected(Failure(400, "InvalidRequest", "the request needs a JSON body"));
  auto parsed = ParseJson(request.body);
  if (!parsed) {
    return tl::unexpected(Failure(
        400, "InvalidRequest", "the body is not valid JSON: " + Printable(parsed.error().message)));
  }
  return *std::move(parsed);
}

tl::expected<json::value, http::Response> ReadBody(const http::Request& request,
                                                   Body need,
                                                   std::size_t bytes_max) {
  if (need == Body::kOptional && Trim(request.body).empty()) return json::value(json::object());
  auto body = ReadJsonBody(request, bytes_max);
  if (body && !body->is_object())
    return tl::unexpected(Failure(400, "InvalidRequest", "the body must be a JSON object"));
  return body;
}

const json::value& GivenOrNull(const json::value& body, std::string_view name) {
  static const json::value kNull;
  const json::value* found = Find(body, name);
  return found == nullptr ? kNull : *found;
}

http::Response RenderFieldError(const FieldError& wrong) {
  return InvalidField(wrong.where, wrong.message);
}

}  // namespace viv::langsmith
