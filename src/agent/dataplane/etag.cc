#include "agent/dataplane/etag.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr std::string_view kWeakPrefix = "W/";

// Takes a tag with its quotes off the front, weak or not; empty when there is none.
std::string_view TakeEtag(std::string_view& list) {
  if (list.starts_with(kWeakPrefix)) list.remove_prefix(kWeakPrefix.size());
  if (!list.starts_with('"')) return {};
  std::size_t close = list.find('"', 1);
  if (close == std::string_view::npos) return {};
  std::string_view tag = list.substr(0, close + 1);
  list.remove_prefix(close + 1);
  return tag;
}

}  // namespace

std::string EtagOf(const struct stat& info) {
  return fmt::format("\"{:x}-{:x}-{:x}.{:x}\"", info.st_ino, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

bool MatchesIfNoneMatch(std::string_view if_none_match, std::string_view etag) {
  std::string_view list = Trim(if_none_match);
  if (list == "*") return true;
  while (!list.empty()) {
    std::string_view tag = TakeEtag(list);
    if (tag.empty()) return false;
    if (tag == etag) return true;
    list = Trim(list);
    if (!list.empty() && list[0] != ',') return false;
    while (list.starts_with(',')) list = Trim(list.substr(1));
  }
  return false;
}

bool MatchesIfRange(std::string_view if_range, std::string_view etag, std::string_view modified) {
  if_range = Trim(if_range);
  return if_range.empty() || if_range == etag || if_range == modified;
}

}  // namespace viv::agent
