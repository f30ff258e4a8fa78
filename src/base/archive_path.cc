#include "base/archive_path.h"

#include "base/text.h"

namespace viv {
namespace {

tl::unexpected<Error> RefuseName(std::string_view name, const char* why) {
  std::string shown;
  for (const char c : name.substr(0, 100)) shown += c < 0x20 || c == 0x7f ? '?' : c;
  return Fail(ErrorCode::kInvalidArgument, "'" + shown + "' in the archive " + why);
}

}  // namespace

Result<std::vector<std::string>> SplitArchivePath(std::string_view name) {
  if (name.empty()) return RefuseName(name, "has no name");
  if (name[0] == '/') return RefuseName(name, "is an absolute name");
  if (name.size() > kArchivePathMax || name.find('\0') != std::string_view::npos)
    return RefuseName(name, "is no name of a file");
  std::vector<std::string> parts;
  for (const std::string_view part : Split(name, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return RefuseName(name, "leads out of it");
    if (part.size() > 255) return RefuseName(name, "is no name of a file");
    parts.emplace_back(part);
  }
  if (parts.size() > kArchiveDepthMax) return RefuseName(name, "is nested too deep");
  return parts;
}

bool LinkStaysInside(std::string_view target, std::size_t depth) {
  if (target.empty() || target.size() > kArchivePathMax) return false;
  std::size_t level = target[0] == '/' ? 0 : depth;
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

}  // namespace viv
