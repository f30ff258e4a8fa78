#include "tools/archive/member_name.h"

#include "base/text.h"

namespace viv::tools {
namespace {

constexpr std::size_t kPartMax = 255;

}  // namespace

std::string Shown(std::string_view name) {
  std::string shown = Printable(name, 120);
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return shown;
}

tl::unexpected<Error> Refuse(std::string_view name, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              "'" + Shown(name) + "' in the archive " + std::string(why));
}

Result<std::vector<std::string>> SplitMemberName(std::string_view name) {
  if (name.empty()) return Refuse(name, "has no name");
  if (name[0] == '/') return Refuse(name, "is an absolute name: pack with relative ones");
  if (name.size() > kMemberNameMax || name.find('\0') != std::string_view::npos)
    return Refuse(name, "is too long for a name");
  std::vector<std::string> parts;
  for (const std::string_view part : Split(name, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return Refuse(name, "leads out of the folder: names must not contain '..'");
    if (part.size() > kPartMax) return Refuse(name, "is too long for a name");
    parts.emplace_back(part);
  }
  if (parts.size() > kMemberDepthMax) return Refuse(name, "is nested too deep");
  return parts;
}

bool LinkStaysBelow(std::string_view target, std::size_t depth) {
  if (target.empty() || target.size() >= kMemberNameMax || target[0] == '/') return false;
  std::size_t level = depth;
  for (const std::string_view part : Split(target, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      ++level;
    } else if (level-- == 0) {
      return false;
    }
  }
  return true;
}

std::string JoinParts(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

}  // namespace viv::tools
