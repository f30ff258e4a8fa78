#include <utility>

#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/mount_config.h"
#include "dialects/langsmith/operations.h"
#include "dialects/langsmith/proxy_config.h"
#include "dialects/langsmith/proxy_plan.h"
#include "dialects/langsmith/sizing.h"
#include "dialects/langsmith/ttl.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kTagsMax = 100;

// Reads a PATCH relative to the current box: what is not given stays.
class BoxPatch {
 public:
  BoxPatch(const json::value& body, const boxes::Box& box, const AccountSealer& sealer)
      : body_(body),
        box_(box),
        sealer_(sealer),
        annotation_(AnnotationOf(box)),
        before_(annotation_) {
    ReadName();
    ReadTtlInto(change_.idle_seconds, "idle_ttl_seconds");
    ReadTtlInto(change_.keep_stopped_seconds, "delete_after_stop_seconds");
    ReadSize();
    ReadTags();
    ReadProxy();
    ReadRun();
  }

  const FieldErrors& field_errors() const { return field_errors_; }
  bool empty() const { return empty_; }  // no known member was given
  const std::optional<std::string>& name() const { return change_.name; }

  boxes::BoxChange Take(std::string updated_by) {
    annotation_.updated_by = std::move(updated_by);
    change_.annotations[std::string(kAnnotationName)] = WriteAnnotation(annotation_);
    return std::move(change_);
  }

 private:
  bool Has(std::string_view name) {
    const bool given = !GivenOrNull(body_, name).is_null();
    empty_ = empty_ && !given;
    return given;
  }

  void ReadName() {
    if (!Has("name")) return;
    Members members(body_, {}, field_errors_);
    change_.name = members.Text("name").value_or("");
    if (auto why = BoxNameError(*change_.name)) members.Refuse("name", *std::move(why));
  }

  void ReadTtlInto(std::optional<std::int64_t>& place, std::string_view field) {
    if (Has(field)) TakeChecked(place, ReadTtl(body_, field), field_errors_);
  }

  // Takes effect at the next start.
  void ReadSize() {
    SizeRequest request;
    if (!TakeChecked(request, ReadSizeRequest(body_), field_errors_) || request.empty()) return;
    empty_ = false;
    Size size{box_.spec.limits, box_.spec.disk_bytes};
    if (!TakeChecked(size, Resized(size, request), field_errors_)) return;
    change_.limits = size.limits;
    change_.disk_bytes = size.disk_bytes;
  }

  void ReadTags() {
    if (!Has("tag_value_ids")) return;
    Members members(body_, {}, field_errors_);
    annotation_.tag_value_ids = members.Texts("tag_value_ids", kTagsMax);
  }

  // The whole config is replaced and takes effect at once.
  void ReadProxy() {
    if (!Has("proxy_config")) return;
    auto stored = StoreProxyConfig(body_.at("proxy_config"), annotation_.proxy_config, sealer_);
    if (!TakeChecked(annotation_.proxy_config, std::move(stored), field_errors_)) return;
    if (auto why = MountsAndProxyConflict(annotation_.mount_config, annotation_.proxy_config))
      return Members(body_, {}, field_errors_).Refuse("proxy_config", *std::move(why));
    change_.network = box_.spec.network;
    change_.network->egress = EgressOf(annotation_.proxy_config);
    // A proxy that was set through another dialect stays.
    gateway::Plan plan = PlanOf(annotation_.proxy_config, sealer_);
    plan.proxy = std::move(change_.network->plan.proxy);
    change_.network->plan = std::move(plan);
    ChangeVariables();
  }

  void ReadRun() {
    if (!Has("run_config")) return;
    RunConfig given;
    if (!TakeChecked(given, ReadRunConfig(body_.at("run_config")), field_errors_)) return;
    annotation_.run_config = OverlayRunConfig(std::move(annotation_.run_config), given);
    const Environment now = EnvironmentOf(annotation_);
    change_.user = now.user;
    change_.workdir = now.workdir;
    ChangeVariables();
  }

  // The box also has variables of other origin, such as those of its image: these stay.
  void ChangeVariables() {
    Variables variables = box_.spec.variables;
    for (const auto& [name, value] : EnvironmentOf(before_).variables) variables.erase(name);
    for (auto& [name, value] : EnvironmentOf(annotation_).variables) variables[name] = value;
    change_.variables = std::move(variables);
  }

  const json::value& body_;
  const boxes::Box& box_;
  const AccountSealer& sealer_;
  BoxAnnotation annotation_;
  const BoxAnnotation before_;
  boxes::BoxChange change_;
  FieldErrors field_errors_;
  bool empty_ = true;
};

// Applied to the box as it is at the time of the change: of two concurrent changes of different
// fields, neither reverts the other.
boxes::MakeBoxChange ChangeBy(json::value body, AccountSealer sealer, std::string account_id) {
  return [=](const boxes::Box& now) -> Result<boxes::BoxChange> {
    BoxPatch patch(body, now, sealer);
    if (patch.field_errors().none()) return patch.Take(account_id);
    return Fail(ErrorCode::kInvalidArgument, patch.field_errors().first().message);
  };
}

// Rules can be changed only while the box runs.
http::Response NotReadyForProxy(const boxes::Box& box) {
  return Failure(400, "InvalidRequest",
                 "sandbox '" + (box.spec.name.empty() ? box.id : box.spec.name) +
                     "' is not ready: start it, then change its proxy_config");
}

http::Response UpdateFailure(const Error& error, const std::optional<std::string>& name) {
  if (error.code != ErrorCode::kConflict || !name) return FailureOf(error);
  return Failure(409, "Conflict", "sandbox name '" + *name + "' is in use: choose another one");
}

}  // namespace

Task<http::Response> UpdateBox(Context& context, http::Request& request) {
  const std::string account_id = request.identity.account_id;
  auto box = FindBox(context, account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  auto body = ReadBody(request, Body::kOptional, kConfigBodyBytesMax);
  if (!body) co_return std::move(body.error());
  const AccountSealer sealer = AccountSealerOf(context.sealer, account_id);
  const BoxPatch patch(*body, **box, sealer);
  if (!patch.field_errors().none()) co_return RenderFieldError(patch.field_errors().first());
  if ((*box)->state != boxes::BoxState::kRunning && !GivenOrNull(*body, "proxy_config").is_null())
    co_return NotReadyForProxy(**box);
  const std::string origin = OriginOf(context, request);
  if (patch.empty()) co_return http::Json(200, WriteJson(ShowBox(origin, **box)));
  const std::optional<std::string> name = patch.name();
  boxes::MakeBoxChange change = ChangeBy(*body, sealer, account_id);
  auto updated = co_await context.boxes.Update(account_id, (*box)->id, std::move(change));
  if (!updated) co_return UpdateFailure(updated.error(), name);
  co_return http::Json(200, WriteJson(ShowBox(origin, **updated)));
}

}  // namespace viv::langsmith
