#include <algorithm>

#include "dialects/e2b/context.h"
#include "dialects/e2b/create_request.h"
#include "dialects/e2b/errors.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kRefreshMaxSeconds = 3600;

Task<http::Response> SetTimeoutTo(Context& context,
                                  http::Request& request,
                                  std::int64_t seconds,
                                  boxes::Boxes::Extend extend) {
  std::string id = SandboxIdOf(request);
  Status set = co_await context.boxes.SetTimeout(request.identity.account_id, id, seconds, extend);
  if (!set) co_return RenderSandboxError(set.error(), id);
  co_return http::Empty(204);
}

}  // namespace

// From now on, so it may also shorten; a negative one ends the sandbox as zero does.
Task<http::Response> SetSandboxTimeout(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::optional<std::int64_t> timeout = fields.Integer("timeout");
  if (!timeout) fields.Refuse("timeout: the seconds that the sandbox shall live are needed");
  if (timeout.value_or(0) > kTimeoutMaxSeconds)
    fields.Refuse("Timeout cannot be greater than 24 hours (86400 seconds)");
  if (!fields.ok()) co_return RenderError(fields.error());
  co_return co_await SetTimeoutTo(context, request, std::max<std::int64_t>(0, *timeout),
                                  boxes::Boxes::Extend::kSet);
}

Task<http::Response> RefreshSandbox(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  std::optional<std::int64_t> duration = fields.Integer("duration", 0, kRefreshMaxSeconds);
  if (!fields.ok()) co_return RenderError(fields.error());
  co_return co_await SetTimeoutTo(context, request, duration.value_or(kTimeoutDefaultOld),
                                  boxes::Boxes::Extend::kAtLeast);
}

}  // namespace viv::e2b
