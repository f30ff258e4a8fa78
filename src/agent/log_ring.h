#pragma once
// The recent events of the box, for the host to read: processes started and ended, files read and
// written. A ring buffer of entries, limited in number and in bytes; the oldest are dropped.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::agent {

class LogRing {
 public:
  enum class Level { kDebug, kInfo, kWarn, kError };
  static constexpr std::size_t kEntriesMax = 1'000;
  static constexpr std::size_t kBytesMax = 512 * 1024;
  static constexpr std::size_t kEntryBytesMax = 4 * 1024;  // longer fields are left out

  // `message` is a sentence ("Process with pid 7 started"), `fields` what a program reads of it.
  void Add(Level level, std::string_view message, json::object fields = {});

  // {"logs": [{sequence, timestamp, level, message, fields}, …]} of the entries behind `after`, the
  // oldest first. The first entry has sequence 1.
  std::string Render(std::uint64_t after = 0) const;

 private:
  std::deque<std::string> entries_;  // as JSON
  std::uint64_t first_ = 1;          // the sequence of entries_.front()
  std::size_t bytes_ = 0;
};

}  // namespace viv::agent
