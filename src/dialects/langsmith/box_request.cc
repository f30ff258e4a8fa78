#include "dialects/langsmith/box_request.h"

#include <cmath>
#include <utility>

#include "dialects/langsmith/access_delegation.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/mount_config.h"
#include "dialects/langsmith/provider_variables.h"
#include "dialects/langsmith/proxy_config.h"
#include "dialects/langsmith/ttl.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kLabelsMax = 64;
constexpr std::size_t kLabelBytesMax = 256;
constexpr std::size_t kTagValuesMax = 100;
constexpr double kReadyTimeoutSecondsMax = 3600;

// Seconds, also parts of one: Python's clients may send floats.
void ReadReadyTimeout(const json::value& body, Members& members, BoxRequest& request) {
  const json::value& given = GivenOrNull(body, "timeout");
  if (given.is_null()) return;
  const double seconds = given.is_number() ? given.to_number<double>() : 0;
  if (!(seconds > 0 && seconds <= kReadyTimeoutSecondsMax))
    return members.Refuse("timeout", "a number of seconds from 1 to 3600 is expected");
  request.ready_timeout = std::chrono::milliseconds(std::llround(std::ceil(seconds * 1000)));
}

void ReadSnapshotRef(Members& members, BoxRequest& request) {
  for (const char* name : {"snapshot_id", "snapshot_name", "snapshot"}) {
    std::optional<std::string> ref = members.Text(name, 512);
    if (!ref || ref->empty()) continue;
    if (!request.snapshot.empty())
      return members.Refuse(name,
                            "only one of snapshot_id, snapshot_name and snapshot can be given");
    request.snapshot = *std::move(ref);
  }
}

void ReadLabels(Members& members, BoxRequest& request) {
  request.labels = members.Map("labels", kLabelsMax);
  for (const auto& [key, value] : request.labels) {
    if (key.empty() || key.size() > kLabelBytesMax || value.size() > kLabelBytesMax)
      return members.Refuse("labels", "keys have 1 to 256 bytes and values at most 256");
    if (key.find('=') != std::string::npos)
      return members.Refuse("labels", "a key has no '=', which filters put before the value");
  }
}

void ReadMemory(Members& members, BoxRequest& request) {
  request.keep_memory = members.Flag("preserve_memory_on_stop").value_or(false);
  if (members.Flag("restore_memory").value_or(false))
    members.Refuse("restore_memory", "snapshots keep files, not memory: leave it out");
  request.persistent = members.Flag("persistent").value_or(true);
  if (!request.persistent && request.keep_memory)
    members.Refuse("preserve_memory_on_stop",
                   "a sandbox that is not persistent keeps nothing: leave one of both out");
}

void RefuseVolumes(Members& members) {
  constexpr std::size_t kVolumesMax = 4;
  if (!members.Objects("volumes", kVolumesMax).empty())
    members.Refuse("volumes",
                   "there are no volumes here: leave it out, and use mount_config for files that "
                   "outlive the sandbox");
}

// Reads the members that are plain values.
void ReadPlain(const json::value& body, Members& members, BoxRequest& request) {
  if (std::optional<std::string> name = members.Text("name")) {
    if (auto why = BoxNameError(*name)) members.Refuse("name", *std::move(why));
    request.name = *std::move(name);
  }
  ReadSnapshotRef(members, request);
  request.wait_for_ready = members.Flag("wait_for_ready").value_or(true);
  ReadReadyTimeout(body, members, request);
  ReadLabels(members, request);
  ReadMemory(members, request);
  RefuseVolumes(members);
  request.annotation.env_vars = ReadVariables(members, "env_vars");
  request.annotation.tag_value_ids = members.Texts("tag_value_ids", kTagValuesMax);
}

std::int64_t TtlOr(std::int64_t fallback,
                   const json::value& body,
                   std::string_view field,
                   FieldErrors& field_errors) {
  std::optional<std::int64_t> given;
  TakeChecked(given, ReadTtl(body, field), field_errors);
  return given.value_or(fallback);
}

void ReadConfigurations(const json::value& body,
                        const AccountSealer& sealer,
                        BoxAnnotation& annotation,
                        FieldErrors& field_errors) {
  TakeChecked(annotation.run_config, ReadRunConfig(GivenOrNull(body, "run_config")), field_errors);
  if (const json::value& given = GivenOrNull(body, "proxy_config"); !given.is_null())
    TakeChecked(annotation.proxy_config, StoreProxyConfig(given, nullptr, sealer), field_errors);
  if (auto managed = FirstManaged(annotation.env_vars, annotation.proxy_config))
    field_errors.Add({"env_vars"},
                     *managed + " is managed by a rule of proxy_config: leave it out");
  if (const json::value& given = GivenOrNull(body, "mount_config"); !given.is_null())
    TakeChecked(annotation.mount_config, StoreMountConfig(given, annotation.proxy_config, sealer),
                field_errors);
  if (const json::value& given = GivenOrNull(body, "access_delegation"); !given.is_null())
    TakeChecked(annotation.access_delegation, StoreAccessDelegation(given), field_errors);
}

}  // namespace

Checked<BoxRequest> ReadBoxRequest(const json::value& body,
                                   std::string_view account_id,
                                   const AccountSealer& sealer) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  BoxRequest request;
  request.annotation.created_by = request.annotation.updated_by = account_id;
  ReadPlain(body, members, request);
  request.idle_seconds = TtlOr(kIdleTtlDefaultSeconds, body, "idle_ttl_seconds", field_errors);
  request.keep_stopped_seconds =
      TtlOr(kDeleteAfterStopDefaultSeconds, body, "delete_after_stop_seconds", field_errors);
  TakeChecked(request.size_request, ReadSizeRequest(body), field_errors);
  ReadConfigurations(body, sealer, request.annotation, field_errors);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return request;
}

}  // namespace viv::langsmith
