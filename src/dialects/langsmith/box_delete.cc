#include <string>
#include <vector>

#include "base/text.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kBatchNamesMax = 500;

Checked<std::vector<std::string>> ReadBatchNames(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  std::vector<std::string> names = members.Texts("names", kBatchNamesMax);
  if (!members.Has("names")) members.Refuse("names", "a list of names or ids is expected");
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return names;
}

// The response has the kind of the error only, without internal details.
std::string SkipReason(const Error& error) {
  return error.code == ErrorCode::kNotFound ? "not found" : "it could not be removed: try again";
}

Task<Status> RemoveNamed(Context& context, std::string account_id, std::string name) {
  ASSIGN_OR_CO_RETURN(boxes::BoxPtr box, FindBox(context, account_id, name));
  co_return co_await context.boxes.Remove(std::move(account_id), box->id);
}

}  // namespace

Task<http::Response> DeleteBox(Context& context, http::Request& request) {
  std::string name(request.Parameter("name"));
  Status removed = co_await RemoveNamed(context, request.identity.account_id, std::move(name));
  if (!removed) co_return FailureOf(removed.error());
  co_return http::Empty(204);
}

Task<http::Response> BatchDeleteBoxes(Context& context, http::Request& request) {
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  auto names = ReadBatchNames(*body);
  if (!names) co_return RenderFieldError(names.error());
  json::array deleted;
  json::array skipped;
  for (const std::string& name : *names) {
    Status removed = co_await RemoveNamed(context, request.identity.account_id, name);
    if (removed) {
      deleted.emplace_back(Printable(name));
    } else {
      skipped.push_back(
          json::object{{"name", Printable(name)}, {"reason", SkipReason(removed.error())}});
    }
  }
  json::object response{{"deleted", std::move(deleted)}, {"skipped", std::move(skipped)}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::langsmith
