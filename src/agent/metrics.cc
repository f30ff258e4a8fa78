#include "agent/metrics.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/clock.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

std::string ReadKernelFile(const std::string& path) {
  constexpr std::size_t kBytesMax = 64 * 1024;
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  char buffer[4096];
  while (file && text.size() < kBytesMax) {
    ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::uint64_t LeadingNumber(std::string_view text) {
  text = Trim(text);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// In bytes; the file has "Name:   123 kB" lines.
std::uint64_t MemoryLine(std::string_view text, std::string_view name) {
  for (std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    return LeadingNumber(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace

json::object Metrics::Read() {
  std::string memory = ReadKernelFile(proc_ + "/meminfo");
  std::uint64_t total = MemoryLine(memory, "MemTotal");
  std::uint64_t available = MemoryLine(memory, "MemAvailable");
  std::uint64_t used = total > available ? total - available : 0;
  struct statvfs disk {};
  bool has_disk = ::statvfs(root_.c_str(), &disk) == 0;
  std::uint64_t disk_total = has_disk ? disk.f_blocks * disk.f_frsize : 0;
  std::uint64_t disk_free = has_disk ? disk.f_bfree * disk.f_frsize : 0;
  json::object metrics;
  metrics["ts"] = NowMs() / 1000;
  metrics["cpu_count"] = ::sysconf(_SC_NPROCESSORS_ONLN);
  metrics["cpu_used_pct"] = CpuUsedPercent();
  metrics["mem_total"] = total;
  metrics["mem_used"] = used;
  metrics["mem_cache"] = MemoryLine(memory, "Cached");
  metrics["mem_total_mib"] = total / (1024 * 1024);
  metrics["mem_used_mib"] = used / (1024 * 1024);
  metrics["disk_used"] = disk_total - disk_free;
  metrics["disk_total"] = disk_total;
  return metrics;
}

// "cpu  user nice system idle iowait …", in ticks since boot.
double Metrics::CpuUsedPercent() {
  constexpr std::size_t kIdleColumn = 3;
  constexpr std::size_t kWaitColumn = 4;
  constexpr std::size_t kColumns = 8;  // the rest is counted in the first two
  std::string text = ReadKernelFile(proc_ + "/stat");
  std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
  std::size_t column = 0;
  for (std::string_view word : Split(line, ' ')) {
    if (word.empty() || word == "cpu") continue;
    if (column == kColumns) break;
    std::uint64_t ticks = LeadingNumber(word);
    total += ticks;
    if (column != kIdleColumn && column != kWaitColumn) busy += ticks;
    ++column;
  }
  std::uint64_t busy_since = busy >= busy_before_ ? busy - busy_before_ : 0;
  std::uint64_t total_since = total >= total_before_ ? total - total_before_ : 0;
  busy_before_ = busy;
  total_before_ = total;
  if (total_since == 0) return 0;
  double share = static_cast<double>(busy_since) / static_cast<double>(total_since);
  return std::round(share * 10'000) / 100;
}

}  // namespace viv::agent
