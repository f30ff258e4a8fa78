#include "dialects/langsmith/snapshot_request.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "boxes/image_reference.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/run_config.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kSnapshotNameBytesMax = 128;
constexpr std::size_t kSnapshotLabelsMax = 64;
constexpr std::size_t kSnapshotLabelBytesMax = 256;
constexpr std::size_t kSnapshotDescriptionCharactersMax = 1024;
constexpr std::size_t kIncludesMax = 16;
constexpr std::int64_t kSnapshotDiskBytesMin = 1 << 20;

// Of a name, and of a tag: no ':' since that separates the two.
bool IsSnapshotWord(std::string_view text) {
  if (text.empty() || text.size() > kSnapshotNameBytesMax) return false;
  auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return is_word(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
           return is_word(c) || c == '.' || c == '_' || c == '-';
         });
}

void ReadSnapshotLabels(Members& members, SnapshotRequest& request) {
  request.labels = members.Map("labels", kSnapshotLabelsMax);
  for (const auto& [key, value] : request.labels) {
    if (key.empty() || key.size() > kSnapshotLabelBytesMax || value.size() > kSnapshotLabelBytesMax)
      return members.Refuse("labels", "keys have 1 to 256 bytes and values at most 256");
    if (key.find('=') != std::string::npos)
      return members.Refuse("labels", "a key has no '=', which filters put before the value");
  }
}

// What both kinds have.
void ReadSnapshotBasics(const json::value& body, Members& members, SnapshotRequest& request) {
  request.name = members.RequiredText("name");
  if (members.field_errors().none() && !IsSnapshotWord(request.name))
    members.Refuse("name",
                   "1 to 128 letters, digits, '.', '_' and '-' are expected, the first of "
                   "them a letter or digit; a tag goes into `tag`");
  if (IsUuid(request.name)) members.Refuse("name", "a name is not shaped like an id");
  if (std::optional<std::string> tag = members.Text("tag"); tag && !tag->empty()) {
    if (!IsSnapshotWord(*tag))
      members.Refuse("tag", "1 to 128 letters, digits, '.', '_' and '-' are expected");
    request.tag = *std::move(tag);
  }
  request.disk_bytes =
      members.Integer("fs_capacity_bytes", kSnapshotDiskBytesMin, kSnapshotDiskBytesMax);
  ReadSnapshotLabels(members, request);
  request.description =
      members.TextOfCharacters("description", kSnapshotDescriptionCharactersMax).value_or("");
  const json::value& given = GivenOrNull(body, "run_config");
  if (given.is_null()) return;
  RunConfig config;
  if (TakeChecked(config, ReadRunConfig(given), members.field_errors()))
    request.run_config = ShowRunConfig(config);
}

// Settings of the box that boxes from its snapshot begin with. Labels only: the others would have
// to be kept with their secrets.
void ReadIncludes(Members& members, SnapshotRequest& request) {
  constexpr std::string_view kMissing[] = {"all",      "mounts",    "proxy_config",
                                           "env_vars", "resources", "lifecycle"};
  for (const std::string& name : members.Texts("include", kIncludesMax)) {
    if (name == "labels") {
      request.include_labels = true;
    } else if (std::find(std::begin(kMissing), std::end(kMissing), name) != std::end(kMissing)) {
      members.Refuse("include", "a snapshot carries labels only, not " + name +
                                    ": leave it out, and give these settings with each sandbox "
                                    "that is created from the snapshot");
    } else {
      members.Refuse("include", Printable(name) + " is no setting: labels is expected");
    }
  }
  // It allows what is refused above.
  members.Flag("confirm_allow_snapshot_secret_values");
}

void RefuseImageConfig(Members& members) {
  Members config = members.Object("image_config");
  for (std::string_view name : {"entrypoint", "cmd", "exposed_ports"}) {
    const json::value* given = Find(config.json(), name);
    if (given == nullptr || given->is_null()) continue;
    if (!given->is_array()) {
      config.Refuse(name, "a list is expected");
    } else if (!given->get_array().empty()) {
      config.Refuse(name,
                    "commands and ports are not recorded with a snapshot: leave it out, and run "
                    "the command in the sandbox");
    }
  }
}

}  // namespace

Checked<SnapshotRequest> ReadCaptureRequest(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  SnapshotRequest request;
  ReadSnapshotBasics(body, members, request);
  if (members.Flag("include_memory").value_or(false))
    members.Refuse("include_memory",
                   "snapshots keep files, not memory: leave it out; a box that is created with "
                   "preserve_memory_on_stop keeps its memory while it is stopped");
  if (members.Has("checkpoint"))
    members.Refuse("checkpoint",
                   "there are no checkpoints to choose from: leave it out and the box is captured "
                   "as it is now");
  if (members.Has("docker_image"))
    members.Refuse("docker_image",
                   "images of the box's own Docker are not exported: push it to a registry and "
                   "create the snapshot from there, or leave this out to capture the box's files");
  ReadIncludes(members, request);
  RefuseImageConfig(members);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return request;
}

Checked<SnapshotRequest> ReadBuildRequest(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  SnapshotRequest request;
  ReadSnapshotBasics(body, members, request);
  request.docker_image = members.RequiredText("docker_image");
  if (field_errors.none()) {
    auto reference = boxes::ParseImageReference(request.docker_image);
    if (!reference) members.Refuse("docker_image", reference.error().message);
  }
  if (!request.disk_bytes)
    members.Refuse("fs_capacity_bytes", "the size of the disk of boxes from it is needed");
  request.registry_id = members.Text("registry_id").value_or("");
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return request;
}

}  // namespace viv::langsmith
