#include "templates/template_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/ids.h"
#include "base/json.h"
#include "base/unique_fd.h"
#include "templates/folder_writer.h"

namespace viv::templates {
namespace {

constexpr std::size_t kTemplateIdLength = 20;

// Digits of base 36 from a digest: four hexadecimal ones each, so that none is much likelier.
std::string IdFromHex(std::string_view hex) {
  static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string id;
  for (std::size_t i = 0; i < kTemplateIdLength; ++i) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const char c = hex[i * 3 + k];
      value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    id += kLetters[value % 36];
  }
  return id;
}

std::int64_t Number(const json::value& value, std::string_view name, std::int64_t otherwise) {
  const json::value* found = Find(value, name);
  if (found == nullptr || !found->is_number()) return otherwise;
  boost::system::error_code error;
  const auto number = found->to_number<std::int64_t>(error);
  return error ? otherwise : number;
}

Result<std::vector<storage::OverlayMount>> ReadOverlays(const json::value& value) {
  std::vector<storage::OverlayMount> overlays;
  const json::value* list = Find(value, "trees");
  if (list == nullptr || !list->is_array() || list->as_array().empty())
    return Fail(ErrorCode::kInvalidArgument, "the record of a template has no trees");
  for (const json::value& item : list->as_array()) {
    storage::OverlayMount overlay{.mount_point = std::string(FindString(item, "at")), .layers = {}};
    const json::value* layers = Find(item, "layers");
    if (layers == nullptr || !layers->is_array() || layers->as_array().empty())
      return Fail(ErrorCode::kInvalidArgument, "a tree of a template has no layers");
    for (const json::value& layer : layers->as_array()) {
      if (!layer.is_string()) return Fail(ErrorCode::kInvalidArgument, "a layer is no folder");
      overlay.layers.emplace_back(View(layer.as_string()));
    }
    overlays.push_back(std::move(overlay));
  }
  return overlays;
}

}  // namespace

bool IsTemplateName(std::string_view name) {
  auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > 128 || !plain(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

std::string RandomTemplateId() {
  return IdFromHex(RandomHex(kTemplateIdLength * 3));
}

std::string TemplateIdOfName(std::string_view name) {
  return IdFromHex(Sha256Hex("template:" + std::string(name)));
}

std::string WriteRecord(const TemplateRecord& record) {
  json::object variables;
  for (const auto& [name, value] : record.made.variables) variables[name] = value;
  json::array overlays;
  for (const storage::OverlayMount& overlay : record.made.overlays) {
    json::array layers;
    for (const std::string& layer : overlay.layers) layers.emplace_back(layer);
    overlays.push_back(json::object{{"at", overlay.mount_point}, {"layers", std::move(layers)}});
  }
  return PrettyJson(json::object{{"id", record.made.id},
                                 {"name", record.made.name},
                                 {"source", record.made.source},
                                 {"trees", std::move(overlays)},
                                 {"variables", std::move(variables)},
                                 {"user", record.made.user},
                                 {"workdir", record.made.workdir},
                                 {"cpus", record.made.cpus},
                                 {"memory_bytes", record.made.memory_bytes},
                                 {"disk_bytes", record.made.disk_bytes},
                                 {"created_at_us", record.made.created_at_us},
                                 {"folder", record.folder},
                                 {"fingerprint", record.fingerprint}});
}

Result<TemplateRecord> ReadRecord(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text));
  TemplateRecord record;
  Template& made = record.made;
  made.id = FindString(value, "id");
  made.name = FindString(value, "name");
  if (made.id.size() != kTemplateIdLength || !IsTemplateName(made.id) || !IsTemplateName(made.name))
    return Fail(ErrorCode::kInvalidArgument, "the record of a template has no id or name");
  made.source = FindString(value, "source");
  ASSIGN_OR_RETURN(made.overlays, ReadOverlays(value));
  if (const json::value* variables = Find(value, "variables");
      variables && variables->is_object()) {
    for (const auto& item : variables->as_object()) {
      if (item.value().is_string()) made.variables[item.key()] = View(item.value().as_string());
    }
  }
  made.user = FindString(value, "user");
  made.workdir = FindString(value, "workdir");
  if (const json::value* cpus = Find(value, "cpus"); cpus && cpus->is_number())
    made.cpus = cpus->to_number<double>();
  made.memory_bytes = Number(value, "memory_bytes", made.memory_bytes);
  made.disk_bytes = Number(value, "disk_bytes", made.disk_bytes);
  made.created_at_us = Number(value, "created_at_us", 0);
  record.folder = FindString(value, "folder");
  record.fingerprint = FindString(value, "fingerprint");
  return record;
}

Status SaveFile(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  {
    const UniqueFd file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file) return FailSystem("make " + fresh);
    if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        fsync(file.get()) != 0)
      return FailSystem("write " + fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return FailSystem("replace " + path);
  const UniqueFd folder(
      open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || fsync(folder.get()) != 0) return FailSystem("save " + path);
  return {};
}

}  // namespace viv::templates
