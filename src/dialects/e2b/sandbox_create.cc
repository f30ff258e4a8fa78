#include "dialects/e2b/context.h"
#include "dialects/e2b/create_request.h"
#include "dialects/e2b/egress_proxy.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/shapes.h"

namespace viv::e2b {
namespace {

// Releases the key when the create ends, unless a sandbox was created.
class CreationClaim {
 public:
  CreationClaim(IdempotencyKeys& keys, IdempotencyKeys::Claim claim)
      : keys_(keys), claim_(std::move(claim)) {}
  CreationClaim(const CreationClaim&) = delete;
  CreationClaim& operator=(const CreationClaim&) = delete;
  ~CreationClaim() {
    if (!claim_.key.empty()) keys_.Finish(claim_, sandbox_id_);
  }
  void SetSandboxId(std::string sandbox_id) { sandbox_id_ = std::move(sandbox_id); }

 private:
  IdempotencyKeys& keys_;
  IdempotencyKeys::Claim claim_;
  std::string sandbox_id_;
};

// The response to a key that was used before.
http::Response RenderEarlierClaim(Context& context,
                                  const std::string& account_id,
                                  const IdempotencyKeys::ClaimResult& earlier) {
  using ClaimState = IdempotencyKeys::ClaimState;
  if (earlier.state == ClaimState::kMismatch)
    return Failure(409, "Idempotency-Key was already used with a different request",
                   "idempotency_request_mismatch");
  if (earlier.state == ClaimState::kInProgress)
    return Failure(409, "A request with this Idempotency-Key is in progress: try again in a moment",
                   "idempotency_in_progress");
  const std::string& id = earlier.sandbox_id;
  auto box = context.boxes.Get(account_id, id);
  if (!box) {
    return Failure(409, "This Idempotency-Key made sandbox " + id +
                            ", which is gone: take a new key for a new sandbox");
  }
  return http::Json(201, WriteJson(ShowSandbox(context, **box)));
}

Task<http::Response> CreateAs(Context& context, http::Request& request, CreateVersion version) {
  auto read = ReadCreateRequest(request, version, context.sealer);
  if (!read) co_return RenderError(read.error());
  IdempotencyKeys::Claim claim{.account_id = request.identity.account_id,
                               .key = std::string(request.headers.Get("idempotency-key")),
                               .body = request.body};
  if (!claim.key.empty()) {
    auto earlier = context.creations.Begin(claim, context.clock());
    if (!earlier) co_return RenderError(earlier.error());
    if (earlier->state != IdempotencyKeys::ClaimState::kFirst)
      co_return RenderEarlierClaim(context, claim.account_id, *earlier);
  }
  CreationClaim creation(context.creations, std::move(claim));
  Status proxy = co_await CheckEgressProxy(context.boxes, read->network.plan.proxy);
  if (!proxy) co_return RenderError(proxy.error());
  auto box = co_await context.boxes.Create(std::move(*read));
  if (!box) co_return RenderError(box.error());
  creation.SetSandboxId((*box)->id);
  co_return http::Json(201, WriteJson(ShowSandbox(context, **box)));
}

}  // namespace

Task<http::Response> CreateSandbox(Context& context, http::Request& request) {
  return CreateAs(context, request, CreateVersion::kOne);
}

Task<http::Response> CreateSandboxV2(Context& context, http::Request& request) {
  return CreateAs(context, request, CreateVersion::kTwo);
}

}  // namespace viv::e2b
