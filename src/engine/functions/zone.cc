#include "engine/functions/zone.h"

#include <sys/stat.h>

#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kNameMax = 64;

bool IsPlain(std::string_view name) {
  if (name.empty() || name.size() > kNameMax ||
      std::isalpha(static_cast<unsigned char>(name[0])) == 0) {
    return false;
  }
  for (char c : name) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' ||
                 c == '-' || c == '+';
    if (!plain) return false;
  }
  return true;
}

// Whether the system's zone files have it: as Abseil looks for them.
bool IsInstalled(std::string_view name) {
  const char* configured = std::getenv("TZDIR");
  std::string path = configured != nullptr && *configured != 0 ? configured : "/usr/share/zoneinfo";
  path.append("/").append(name);
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

int TwoDigits(std::string_view text) {
  if (text.size() < 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
    return -1;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

std::optional<absl::TimeZone> FixedZone(std::string_view name) {
  if (name.size() != 6 || (name[0] != '+' && name[0] != '-') || name[3] != ':') return std::nullopt;
  int hours = TwoDigits(name.substr(1));
  int minutes = TwoDigits(name.substr(4));
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  int seconds = (hours * 60 + minutes) * 60;
  return absl::FixedTimeZone(name[0] == '-' ? -seconds : seconds);
}

}  // namespace

Result<absl::TimeZone> FindZone(std::string_view name) {
  if (name == "UTC" || name == "Z") return absl::UTCTimeZone();
  if (std::optional<absl::TimeZone> fixed = FixedZone(name)) return *fixed;
  // Those found before, so that a time in a list costs no look at the file system. There are no
  // more of them than the system has zone files.
  thread_local std::map<std::string, absl::TimeZone, std::less<>> known;
  if (auto found = known.find(name); found != known.end()) return found->second;
  absl::TimeZone zone;
  if (IsPlain(name) && IsInstalled(name) && absl::LoadTimeZone(std::string(name), &zone)) {
    known.emplace(name, zone);
    return zone;
  }
  return Invalid("unknown time zone '" + std::string(name.substr(0, kNameMax)) + "'");
}

absl::Time Moment(absl::CivilSecond civil, absl::TimeZone zone) {
  return zone.At(civil).pre;
}

}  // namespace viv::engine::functions
