#include "dialects/e2b/context.h"
#include "dialects/e2b/create_request.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/shapes.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kForksMax = 100;

}  // namespace

// Each copy has a result of its own: the sandbox, or the error.
Task<http::Response> ForkSandbox(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  std::int64_t count = fields.Integer("count", 1, kForksMax).value_or(1);
  std::int64_t timeout = ReadTimeout(fields, kTimeoutDefaultOld);
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string id = SandboxIdOf(request);
  auto forks = co_await context.boxes.Fork(request.identity.account_id, id,
                                           static_cast<std::size_t>(count), timeout);
  if (!forks) co_return RenderSandboxError(forks.error(), id);
  json::array response;
  for (const Result<boxes::BoxPtr>& fork : *forks) {
    response.push_back(fork ? json::object{{"sandbox", ShowSandbox(context, **fork)}}
                            : json::object{{"error", ErrorBody(fork.error())}});
  }
  co_return http::Json(201, WriteJson(response));
}

}  // namespace viv::e2b
