#include "dialects/langsmith/snapshot_shape.h"

#include "base/timestamp.h"
#include "boxes/box_ids.h"

namespace viv::langsmith {
namespace {

void ShowWhenGiven(std::string_view name, const std::string& text, json::object& shape) {
  if (!text.empty()) shape[name] = text;
}

}  // namespace

json::object ShowSnapshot(const KnownSnapshot& snapshot) {
  json::array tags;
  for (const std::string& tag : snapshot.tags) tags.emplace_back(tag);
  json::object labels;
  for (const auto& [key, value] : snapshot.labels) labels[key] = value;
  json::object shape{{"id", boxes::UuidOfTemplate(snapshot.id)},
                     {"name", snapshot.name},
                     {"tags", std::move(tags)},
                     {"status", json::string(NameOfStatus(snapshot.status))},
                     {"fs_capacity_bytes", snapshot.disk_bytes},
                     {"memory_snapshot_size_bytes", nullptr},
                     {"labels", std::move(labels)},
                     {"created_by", snapshot.created_by},
                     {"created_at", TimeText(snapshot.created_at_us)},
                     {"updated_at", TimeText(snapshot.updated_at_us)}};
  ShowWhenGiven("status_message", snapshot.message, shape);
  ShowWhenGiven("description", snapshot.description, shape);
  if (!snapshot.included.empty())
    shape["included"] = json::array(snapshot.included.begin(), snapshot.included.end());
  ShowWhenGiven("docker_image", snapshot.docker_image, shape);
  ShowWhenGiven("image_digest", snapshot.image_digest, shape);
  ShowWhenGiven("registry_id", snapshot.registry_id, shape);
  if (!snapshot.source_box.empty())
    shape["source_sandbox_id"] = boxes::UuidOfBox(snapshot.source_box);
  if (snapshot.run_config.is_object()) shape["run_config"] = snapshot.run_config;
  return shape;
}

}  // namespace viv::langsmith
