#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {

Task<http::Response> GetBox(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  co_return http::Json(200, WriteJson(ShowBox(OriginOf(context, request), **box)));
}

Task<http::Response> GetBoxStatus(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  co_return http::Json(200, WriteJson(ShowStatus(**box)));
}

}  // namespace viv::langsmith
