#pragma once
// Tar files and OCI images made on the spot, good and bad.

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "templates/oci_manifest.h"

namespace viv::templates {

struct TarEntry {
  std::string name;
  std::string text = {};
  unsigned type = AE_IFREG;
  mode_t mode = 0644;
  std::string target = {};     // of a symbolic link
  std::string hard_link = {};  // instead of a type
  std::int64_t uid = 0, gid = 0;
};

enum class Packing { kPlain, kGzip, kZstd };

inline std::string MakeTar(const std::vector<TarEntry>& entries,
                           Packing packing = Packing::kPlain) {
  std::vector<char> buffer(8 << 20);
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_pax_restricted(writer);
  if (packing == Packing::kGzip) archive_write_add_filter_gzip(writer);
  if (packing == Packing::kZstd) archive_write_add_filter_zstd(writer);
  archive_write_open_memory(writer, buffer.data(), buffer.size(), &used);
  for (const TarEntry& item : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, item.name.c_str());
    archive_entry_set_filetype(entry, item.type);
    archive_entry_set_perm(entry, item.mode);
    archive_entry_set_uid(entry, item.uid);
    archive_entry_set_gid(entry, item.gid);
    archive_entry_set_mtime(entry, 1'000'000, 0);
    if (!item.target.empty()) archive_entry_set_symlink(entry, item.target.c_str());
    if (!item.hard_link.empty()) archive_entry_set_hardlink(entry, item.hard_link.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(item.text.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, item.text.data(), item.text.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  return {buffer.data(), used};
}

inline void SaveText(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string LoadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The parts of an image: name and content of each file of its layout.
class ImageBuilder {
 public:
  json::object Add(const std::string& blob, const std::string& media_type) {
    const std::string digest = Sha256Hex(blob);
    parts_["blobs/sha256/" + digest] = blob;
    return {{"mediaType", media_type}, {"digest", "sha256:" + digest}, {"size", blob.size()}};
  }
  void AddLayer(const std::vector<TarEntry>& entries, Packing packing = Packing::kGzip) {
    std::string type = "application/vnd.oci.image.layer.v1.tar";
    if (packing == Packing::kGzip) type += "+gzip";
    if (packing == Packing::kZstd) type += "+zstd";
    layers_.push_back(Add(MakeTar(entries, packing), type));
  }
  void Finish(json::object settings = {},
              const std::string& architecture = std::string(HostArchitecture())) {
    const json::object config = {
        {"architecture", architecture}, {"os", "linux"}, {"config", std::move(settings)}};
    const json::object manifest = {
        {"schemaVersion", 2},
        {"config", Add(WriteJson(config), "application/vnd.oci.image.config.v1+json")},
        {"layers", layers_}};
    json::object entry = Add(WriteJson(manifest), "application/vnd.oci.image.manifest.v1+json");
    entry["platform"] = {{"architecture", architecture}, {"os", "linux"}};
    parts_["index.json"] =
        WriteJson(json::object{{"schemaVersion", 2}, {"manifests", json::array{entry}}});
    parts_["oci-layout"] = R"({"imageLayoutVersion":"1.0.0"})";
  }
  std::map<std::string, std::string>& parts() { return parts_; }

  void SaveLayout(const std::string& folder) const {
    for (const auto& [name, text] : parts_) SaveText(folder + "/" + name, text);
  }
  void SaveArchive(const std::string& file) const {
    std::vector<TarEntry> entries;
    for (const auto& [name, text] : parts_) entries.push_back({.name = name, .text = text});
    SaveText(file, MakeTar(entries));
  }

 private:
  std::map<std::string, std::string> parts_;
  json::array layers_;
};

}  // namespace viv::templates
