#include "runtime/clone_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/contain.h"
#include "runtime/launcher.h"
#include "storage/overlay.h"

namespace viv::runtime {
namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.';
}

// The text in a field of the wire; nothing without its end.
std::optional<std::string> ReadField(const char (&field)[kNameBytes]) {
  const void* end = std::memchr(field, '\0', sizeof field);
  if (end == nullptr) return std::nullopt;
  return std::string(field);
}

bool ReadOverlays(const WireRequest& wire, CloneRequest& request) {
  if (wire.overlay_count == 0 || wire.overlay_count > kOverlaysMax) return false;
  for (std::size_t i = 0; i < wire.overlay_count; ++i) {
    const WireOverlay& overlay = wire.overlays[i];
    std::optional<std::string> at = ReadField(overlay.mount_point);
    if (!at || (i == 0 ? !at->empty() : !IsOverlayMountPoint(*at))) return false;
    if (overlay.layer_count == 0 || overlay.layer_count > kLayersMax) return false;
    request.overlays.push_back({*std::move(at), overlay.layer_count});
  }
  return true;
}

}  // namespace

bool IsOverlayMountPoint(std::string_view name) {
  if (name.empty() || name.size() >= kNameBytes || name.front() == '.') return false;
  for (std::string_view taken : {"proc", "dev", "sys"})
    if (name == taken) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return IsPlain(c) || c == '_'; });
}

bool IsHostname(std::string_view name) {
  return !name.empty() && name.size() < kNameBytes && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), IsPlain);
}

std::optional<CloneRequest> ReadCloneRequest(Packet packet) {
  WireRequest wire;
  if (packet.bytes.size() != sizeof wire) return std::nullopt;
  std::memcpy(&wire, packet.bytes.data(), sizeof wire);
  CloneRequest request;
  std::optional<std::string> hostname = ReadField(wire.hostname);
  if (!hostname || !IsHostname(*hostname) || wire.slot >= kSlotsMax || wire.shm_bytes <= 0 ||
      wire.has_v2_cgroup > 1 || wire.tasks_count > kTasksFilesMax || !ReadOverlays(wire, request))
    return std::nullopt;
  request.slot = wire.slot;
  request.shm_bytes = wire.shm_bytes;
  request.hostname = *std::move(hostname);

  std::size_t layers = 0;
  for (const RequestedOverlay& overlay : request.overlays) layers += overlay.layer_count;
  if (layers > kLayersMax ||
      packet.descriptors.size() != 3 + wire.has_v2_cgroup + wire.tasks_count + layers)
    return std::nullopt;
  auto next = packet.descriptors.begin();
  request.listener = std::move(*next++);
  request.network = std::move(*next++);
  request.folder = std::move(*next++);
  if (wire.has_v2_cgroup == 1) request.v2_cgroup = std::move(*next++);
  for (std::size_t i = 0; i < wire.tasks_count; ++i)
    request.tasks_files.push_back(std::move(*next++));
  for (std::size_t i = 0; i < layers; ++i) request.layers.push_back(std::move(*next++));
  return request;
}

void ReleaseDescriptors(CloneRequest& request) {
  for (UniqueFd* fd : {&request.listener, &request.network, &request.folder, &request.v2_cgroup})
    fd->release();
  for (UniqueFd& fd : request.tasks_files) fd.release();
  for (UniqueFd& fd : request.layers) fd.release();
}

std::string OverlayOptions(const RequestedOverlay& overlay, std::size_t first_layer) {
  std::string lower;
  for (std::size_t i = 0; i < overlay.layer_count; ++i)
    lower += fmt::format("{}{}/{}", i == 0 ? "" : ":", kSpawnerLayers, first_layer + i);
  storage::OverlayMount mount;
  mount.mount_point = overlay.mount_point;
  // Renaming a folder of a layer works (redirect_dir); a file is copied whole when it changes
  // (metacopy off), so that a copied upper directory is a complete layer. There is no index,
  // because it would tie an upper directory to the layers it was first mounted with. Overlayfs uses
  // trusted.* attributes, which a box cannot set; user.* stays free for the box. Volatile:
  // otherwise the end of each box, and each sync in one, would write out the whole file system that
  // all boxes share. Data reaches the disk in the kernel's own time; only a crash of the machine
  // can lose the last seconds.
  return fmt::format(
      "lowerdir={},upperdir={},workdir={},redirect_dir=on,metacopy=off,index=off,xino=auto,"
      "volatile",
      lower, UpperDirOf(kSpawnerFolder, mount), WorkDirOf(kSpawnerFolder, mount));
}

}  // namespace viv::runtime
