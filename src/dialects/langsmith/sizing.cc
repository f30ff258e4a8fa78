#include "dialects/langsmith/sizing.h"

#include <cmath>

namespace viv::langsmith {
namespace {

constexpr std::int64_t kSizeGib = 1LL << 30;
constexpr std::int64_t kBytesPerCore = 4 * kSizeGib;
constexpr std::int64_t kMillicoresMax = 16'000;
constexpr std::int64_t kMillicoresLeast = 50;
constexpr std::int64_t kMemoryMax = 64 * kSizeGib;
constexpr std::int64_t kMemoryLeast = 128LL << 20;
constexpr std::int64_t kDiskMax = 100 * kSizeGib;
constexpr std::int64_t kDiskLeast = kSizeGib;

std::int64_t MemoryOfMillicores(std::int64_t millicores) {
  return kBytesPerCore / 1000 * millicores + kBytesPerCore % 1000 * millicores / 1000;
}

std::int64_t MillicoresOfMemory(std::int64_t bytes) {
  std::int64_t rounded = (bytes * 1000 + kBytesPerCore / 2) / kBytesPerCore;
  return rounded < kMillicoresLeast ? kMillicoresLeast : rounded;
}

std::int64_t MillicoresOf(const runtime::Limits& limits) {
  return std::llround(limits.cpus * 1000);
}

}  // namespace

Checked<SizeRequest> ReadSizeRequest(const json::value& body) {
  FieldErrors field_errors;
  Members members(body, {}, field_errors);
  SizeRequest request;
  if (auto vcpus = members.Integer("vcpus", 1, kMillicoresMax / 1000))
    request.cpu_millicores = *vcpus * 1000;
  if (auto millicores = members.Integer("cpu_millicores", kMillicoresLeast, kMillicoresMax))
    request.cpu_millicores = millicores;
  request.memory_bytes = members.Integer("mem_bytes", kMemoryLeast, kMemoryMax);
  request.disk_bytes = members.Integer("fs_capacity_bytes", kDiskLeast, kDiskMax);
  if (!field_errors.none()) return tl::unexpected(field_errors.first());
  return request;
}

Checked<Size> SizeOfNew(const SizeRequest& request, std::int64_t disk_default) {
  Size size;
  std::int64_t millicores = request.cpu_millicores.value_or(
      request.memory_bytes ? MillicoresOfMemory(*request.memory_bytes) : kDefaultMillicores);
  size.limits.cpus = static_cast<double>(millicores) / 1000;
  size.limits.memory_bytes = request.memory_bytes.value_or(MemoryOfMillicores(millicores));
  size.disk_bytes = request.disk_bytes.value_or(disk_default);
  return size;
}

Checked<Size> Resized(const Size& now, const SizeRequest& request) {
  Size size = now;
  if (request.cpu_millicores)
    size.limits.cpus = static_cast<double>(*request.cpu_millicores) / 1000;
  if (request.memory_bytes) size.limits.memory_bytes = *request.memory_bytes;
  if (request.disk_bytes && *request.disk_bytes < now.disk_bytes)
    return FailField({"fs_capacity_bytes"}, "a disk does not shrink: at least " +
                                                std::to_string(now.disk_bytes) +
                                                " bytes are expected");
  if (request.disk_bytes) size.disk_bytes = *request.disk_bytes;
  return size;
}

void ShowSize(const runtime::Limits& limits, std::int64_t disk_bytes, json::object& box) {
  box["vcpus"] = static_cast<std::int64_t>(std::ceil(limits.cpus));
  box["cpu_millicores"] = MillicoresOf(limits);
  box["mem_bytes"] = limits.memory_bytes;
  box["fs_capacity_bytes"] = disk_bytes;
}

}  // namespace viv::langsmith
