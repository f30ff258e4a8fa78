#include <algorithm>

#include "boxes/box_ids.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

constexpr std::string_view kProbedActions[] = {"exec", "file", "tunnel", "proxy"};

}  // namespace

// Whether the caller may do something with a box. A missing box is answered with "denied" instead
// of 404, because gateways forward the status of this probe.
Task<http::Response> ProbeAccess(Context& context, http::Request& request) {
  const std::string id = request.Query("sandbox_id").value_or("");
  const std::string action = request.Query("action").value_or("");
  if (id.empty()) co_return Failure(400, "InvalidRequest", "the parameter sandbox_id is missing");
  const bool known = std::find(std::begin(kProbedActions), std::end(kProbedActions), action) !=
                     std::end(kProbedActions);
  if (!known)
    co_return Failure(400, "InvalidRequest", "action: exec, file, tunnel or proxy is expected");
  auto box = FindBox(context, request.identity.account_id, id);
  if (!box) {
    co_return Failure(403, "Forbidden",
                      "sandbox access denied: not the creator and missing sandboxes:exec");
  }
  json::object response{
      {"allowed", true}, {"sandbox_id", boxes::UuidOfBox((*box)->id)}, {"action", action}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::langsmith
