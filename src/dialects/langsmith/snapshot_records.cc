#include "dialects/langsmith/snapshot_records.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "boxes/box_ids.h"

namespace viv::langsmith {
namespace {

constexpr std::string_view kLatestTag = "latest";

std::int64_t EntryNumber(const json::value& body, std::string_view name) {
  const json::value* found = Find(body, name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

std::vector<std::string> EntryTexts(const json::value& body, std::string_view name) {
  std::vector<std::string> texts;
  const json::value* found = Find(body, name);
  if (found == nullptr || !found->is_array()) return texts;
  for (const json::value& text : found->get_array())
    if (text.is_string()) texts.emplace_back(View(text.get_string()));
  return texts;
}

SnapshotStatus EntryStatus(std::string_view text) {
  if (text == "building") return SnapshotStatus::kBuilding;
  return text == "failed" ? SnapshotStatus::kFailed : SnapshotStatus::kReady;
}

KnownSnapshot ReadSnapshotEntry(const accounts::DocumentTable::Entry& entry) {
  const json::value& body = entry.body;
  KnownSnapshot known;
  known.id = entry.id;
  known.account_id = entry.account_id;
  known.name = FindString(body, "name");
  known.wanted_tag = FindString(body, "wanted_tag");
  known.status = EntryStatus(FindString(body, "status"));
  known.message = FindString(body, "message");
  known.docker_image = FindString(body, "docker_image");
  known.image_digest = FindString(body, "image_digest");
  known.registry_id = FindString(body, "registry_id");
  known.source_box = FindString(body, "source_box");
  known.created_by = FindString(body, "created_by");
  known.description = FindString(body, "description");
  known.user = FindString(body, "user");
  known.workdir = FindString(body, "workdir");
  known.disk_bytes = EntryNumber(body, "disk_bytes");
  known.created_at_us = EntryNumber(body, "created_at_us");
  known.updated_at_us = EntryNumber(body, "updated_at_us");
  if (const json::value* config = Find(body, "run_config")) known.run_config = *config;
  known.tags = EntryTexts(body, "tags");
  known.included = EntryTexts(body, "included");
  if (const json::value* labels = Find(body, "labels"); labels != nullptr && labels->is_object())
    for (const auto& [key, value] : labels->get_object())
      if (value.is_string()) known.labels[std::string(key)] = View(value.get_string());
  return known;
}

// Adds the domain's information to `known`, which has what the table says, if anything.
void MergeTemplateInfo(const boxes::TemplateInfo& info, KnownSnapshot& known) {
  if (known.id.empty()) {  // another dialect's
    known.id = info.id;
    const SnapshotRef ref =
        SplitSnapshotRef(info.names.empty() ? std::string_view(info.id) : info.names.front());
    known.name = ref.name;
    if (!ref.tag.empty()) known.tags.emplace_back(ref.tag);
    known.created_by = known.account_id;
    known.created_at_us = known.updated_at_us = info.created_at_us;
  }
  known.status = SnapshotStatus::kReady;
  if (known.source_box.empty()) known.source_box = info.origin_box;
  if (known.disk_bytes == 0) known.disk_bytes = info.disk_bytes;
}

bool IsNewer(const KnownSnapshot& a, const KnownSnapshot& b) {
  return std::tie(a.created_at_us, a.id) > std::tie(b.created_at_us, b.id);
}

// The newest that fits.
template <typename Fits>
const KnownSnapshot* NewestOf(const std::vector<KnownSnapshot>& all, Fits fits) {
  const KnownSnapshot* best = nullptr;
  for (const KnownSnapshot& one : all)
    if (fits(one) && (best == nullptr || IsNewer(one, *best))) best = &one;
  return best;
}

const KnownSnapshot* FindTagged(const std::vector<KnownSnapshot>& all,
                                std::string_view name,
                                std::string_view tag) {
  return NewestOf(all, [&](const KnownSnapshot& one) {
    return one.name == name && one.status == SnapshotStatus::kReady && one.HasTag(tag);
  });
}

// The newest that is not ready and gets this tag once it is.
const KnownSnapshot* FindPendingTag(const std::vector<KnownSnapshot>& all,
                                    std::string_view name,
                                    std::string_view tag) {
  return NewestOf(all, [&](const KnownSnapshot& one) {
    return one.name == name && one.status != SnapshotStatus::kReady && one.wanted_tag == tag;
  });
}

const KnownSnapshot* FindNamed(const std::vector<KnownSnapshot>& all, std::string_view name) {
  if (const KnownSnapshot* latest = FindTagged(all, name, kLatestTag)) return latest;
  const KnownSnapshot* plain = NewestOf(all, [&](const KnownSnapshot& one) {
    return one.name == name && one.status == SnapshotStatus::kReady && one.tags.empty();
  });
  return plain != nullptr ? plain : FindPendingTag(all, name, kLatestTag);
}

}  // namespace

std::string_view NameOfStatus(SnapshotStatus status) {
  switch (status) {
    case SnapshotStatus::kBuilding:
      return "building";
    case SnapshotStatus::kFailed:
      return "failed";
    case SnapshotStatus::kReady:
      break;
  }
  return "ready";
}

bool KnownSnapshot::HasTag(std::string_view tag) const {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

SnapshotRef SplitSnapshotRef(std::string_view ref) {
  const std::size_t colon = ref.rfind(':');
  if (colon == std::string_view::npos) return {ref, {}};
  return {ref.substr(0, colon), ref.substr(colon + 1)};
}

std::vector<KnownSnapshot> KnownSnapshots(const Context& context, std::string_view account_id) {
  // Read first: a build that ends meanwhile has stored its result before it leaves this set.
  std::set<std::string> building;
  if (context.images != nullptr) building = context.images->under_way();
  std::map<std::string, KnownSnapshot> known;
  for (const accounts::DocumentTable::EntryPtr& entry : context.snapshots.List(account_id))
    known[entry->id] = ReadSnapshotEntry(*entry);
  std::set<std::string> existing;
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(account_id)) {
    if (!info.is_snapshot) continue;
    existing.insert(info.id);
    KnownSnapshot& one = known[info.id];
    one.account_id = account_id;
    if (one.status == SnapshotStatus::kBuilding && building.contains(info.id)) continue;
    MergeTemplateInfo(info, one);
  }
  std::vector<KnownSnapshot> all;
  for (auto& [id, one] : known) {
    if (!existing.contains(id)) {
      // It was removed through another dialect, so its entry is ignored.
      if (one.status == SnapshotStatus::kReady) continue;
      if (one.status == SnapshotStatus::kBuilding && !building.contains(id)) {
        one.status = SnapshotStatus::kFailed;
        one.message = "the server was restarted during the build: create the snapshot again";
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<KnownSnapshot> FindSnapshot(const Context& context,
                                   std::string_view account_id,
                                   std::string_view ref) {
  const std::vector<KnownSnapshot> all = KnownSnapshots(context, account_id);
  const std::optional<std::string> given = boxes::TemplateOfUuid(ref);
  const std::string_view id = given ? std::string_view(*given) : ref;
  for (const KnownSnapshot& one : all)
    if (one.id == id) return one;
  const SnapshotRef parts = SplitSnapshotRef(ref);
  const KnownSnapshot* found = nullptr;
  if (ref.find(':') == std::string_view::npos) {
    found = FindNamed(all, parts.name);
  } else {
    found = FindTagged(all, parts.name, parts.tag);
    if (found == nullptr) found = FindPendingTag(all, parts.name, parts.tag);
  }
  if (found != nullptr) return *found;
  return Fail(ErrorCode::kNotFound, "snapshot '" + Printable(ref) + "' does not exist");
}

std::string DomainNameFor(const Context& context,
                          std::string_view account_id,
                          const std::string& name) {
  for (const boxes::TemplateInfo& info : context.boxes.ListTemplates(account_id)) {
    const bool has_name = std::find(info.names.begin(), info.names.end(), name) != info.names.end();
    if (!info.is_snapshot && has_name) return "";
  }
  return name;
}

accounts::DocumentTable::Entry EntryOf(const KnownSnapshot& snapshot) {
  json::array tags;
  for (const std::string& tag : snapshot.tags) tags.emplace_back(tag);
  json::object labels;
  for (const auto& [key, value] : snapshot.labels) labels[key] = value;
  json::object body{{"name", snapshot.name},
                    {"wanted_tag", snapshot.wanted_tag},
                    {"tags", std::move(tags)},
                    {"status", json::string(NameOfStatus(snapshot.status))},
                    {"message", snapshot.message},
                    {"docker_image", snapshot.docker_image},
                    {"image_digest", snapshot.image_digest},
                    {"registry_id", snapshot.registry_id},
                    {"source_box", snapshot.source_box},
                    {"disk_bytes", snapshot.disk_bytes},
                    {"labels", std::move(labels)},
                    {"description", snapshot.description},
                    {"included", json::array(snapshot.included.begin(), snapshot.included.end())},
                    {"run_config", snapshot.run_config},
                    {"user", snapshot.user},
                    {"workdir", snapshot.workdir},
                    {"created_by", snapshot.created_by},
                    {"created_at_us", snapshot.created_at_us},
                    {"updated_at_us", snapshot.updated_at_us}};
  return {snapshot.id, snapshot.account_id, std::move(body)};
}

}  // namespace viv::langsmith
