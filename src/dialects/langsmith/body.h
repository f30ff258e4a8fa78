#pragma once
// Reads the JSON body of a control request: an object, or the error response that says why there is
// none.

#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "http/message.h"

namespace viv::langsmith {

inline constexpr std::size_t kBodyBytesMax = 1 << 20;
// For requests with configurations: far more than is allowed, so that the response names what is
// too large.
inline constexpr std::size_t kConfigBodyBytesMax = 16 << 20;

// The body as any JSON value.
tl::expected<json::value, http::Response> ReadJsonBody(const http::Request& request,
                                                       std::size_t bytes_max = kBodyBytesMax);

enum class Body { kRequired, kOptional };  // optional: an empty one is {}
tl::expected<json::value, http::Response> ReadBody(const http::Request& request,
                                                   Body need,
                                                   std::size_t bytes_max = kBodyBytesMax);

const json::value& GivenOrNull(const json::value& body, std::string_view name);

// Assigns a checked value to `target`, or records its error; returns whether it was valid.
template <typename Value, typename Given>
bool TakeChecked(Value& target, Checked<Given> checked, FieldErrors& field_errors) {
  if (checked) {
    target = *std::move(checked);
  } else {
    field_errors.Add(checked.error().where, checked.error().message);
  }
  return checked.has_value();
}

http::Response RenderFieldError(const FieldError& wrong);  // 422, with the path of the field

}  // namespace viv::langsmith
