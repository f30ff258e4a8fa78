#include "dialects/langsmith/box_shape.h"

#include <algorithm>

#include "base/text.h"
#include "base/timestamp.h"
#include "boxes/box_ids.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/mount_config.h"
#include "dialects/langsmith/proxy_config.h"
#include "dialects/langsmith/sizing.h"

namespace viv::langsmith {
namespace {

constexpr std::string_view kDefaultTemplate = "base";
constexpr std::size_t kStatusMessageBytesMax = 2048;

bool IsAtRest(const boxes::Box& box) {
  return box.state == boxes::BoxState::kPaused || box.state == boxes::BoxState::kStopped;
}

json::object LabelsOf(const boxes::Box& box) {
  json::object labels;
  for (const auto& [key, value] : box.spec.metadata) labels[key] = value;
  return labels;
}

void ShowAnnotated(const BoxAnnotation& annotation, json::object& shape) {
  shape["created_by"] = annotation.created_by;
  shape["updated_by"] = annotation.updated_by;
  if (!annotation.run_config.empty()) shape["run_config"] = ShowRunConfig(annotation.run_config);
  if (!annotation.access_delegation.is_null())
    shape["access_delegation"] = annotation.access_delegation;
  if (!annotation.proxy_config.is_null())
    shape["proxy_config"] = ShowProxyConfig(annotation.proxy_config);
  if (!annotation.mount_config.is_null())
    shape["mount_config"] = ShowMountConfig(annotation.mount_config);
}

}  // namespace

std::string_view StatusOf(boxes::BoxState state) {
  switch (state) {
    case boxes::BoxState::kStarting:
      return "provisioning";
    case boxes::BoxState::kRunning:
      return "ready";
    case boxes::BoxState::kPaused:
    case boxes::BoxState::kStopped:
      return "stopped";
    case boxes::BoxState::kFailed:
      return "failed";
  }
  return "failed";
}

json::object ShowStatus(const boxes::Box& box) {
  json::object shape{{"status", json::string(StatusOf(box.state))}};
  if (!box.message.empty())
    shape["status_message"] = Printable(box.message, kStatusMessageBytesMax);
  return shape;
}

json::object ShowBox(const std::string& origin, const boxes::Box& box) {
  const std::string uuid = boxes::UuidOfBox(box.id);
  json::object shape = ShowStatus(box);
  shape["id"] = uuid;
  shape["name"] = NameOf(box);
  shape["dataplane_url"] = origin + "/v2/sandboxes/" + uuid;
  shape["created_at"] = TimeText(box.created_at_us);
  shape["updated_at"] = TimeText(std::max(box.updated_at_us, box.created_at_us));
  if (IsAtRest(box) && box.stopped_at_us != 0) shape["stopped_at"] = TimeText(box.stopped_at_us);
  shape["idle_ttl_seconds"] = box.spec.idle_seconds;
  shape["delete_after_stop_seconds"] = box.spec.keep_stopped_seconds;
  shape["size_class"] = "custom";
  ShowSize(box.spec.limits, box.spec.disk_bytes, shape);
  if (box.spec.template_name != kDefaultTemplate)
    shape["snapshot_id"] = boxes::UuidOfTemplate(box.spec.template_id);
  shape["preserve_memory_on_stop"] = box.spec.keep_memory;
  shape["persistent"] = !box.spec.disposable;
  shape["labels"] = LabelsOf(box);
  ShowAnnotated(AnnotationOf(box), shape);
  return shape;
}

}  // namespace viv::langsmith
