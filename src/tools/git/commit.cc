#include "tools/git/commit.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>

#include "base/text.h"
#include "tools/kit/tool_result.h"

namespace viv::tools::git {
namespace {

constexpr std::int64_t kSecondsMax = 253'402'300'799;  // the end of the year 9999

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "+0230" is 150 minutes; a zone no place on earth has is none.
int OffsetMinutes(std::string_view zone) {
  int digits = 0;
  if (zone.size() < 2 || !ReadNumber(zone.substr(1), digits) || digits < 0) return 0;
  const int minutes = digits / 100 * 60 + digits % 100;
  if (minutes >= 24 * 60) return 0;
  return zone[0] == '-' ? -minutes : minutes;
}

// "Ann <ann@example.org> 1712151544 +0200"
void ReadAuthor(std::string_view line, Commit& commit) {
  std::string_view actor = line;
  const std::size_t zone = line.rfind(' ');
  const std::size_t time = zone == line.npos || zone == 0 ? line.npos : line.rfind(' ', zone - 1);
  std::int64_t seconds = 0;
  if (time != line.npos && ReadNumber(line.substr(time + 1, zone - time - 1), seconds)) {
    if (seconds >= 0 && seconds <= kSecondsMax - 86'400) commit.author_seconds = seconds;
    commit.author_offset_minutes = OffsetMinutes(line.substr(zone + 1));
    actor = line.substr(0, time);
  }
  const std::size_t open = actor.find('<');
  const std::size_t close = open == actor.npos ? actor.npos : actor.find('>', open);
  if (close == actor.npos) {
    commit.author_name = AsUtf8(std::string(actor));
    return;
  }
  std::string_view name = actor.substr(0, open);
  while (name.ends_with(' ')) name.remove_suffix(1);
  commit.author_name = AsUtf8(std::string(name));
  commit.author_email = AsUtf8(std::string(actor.substr(open + 1, close - open - 1)));
}

std::tm LocalTime(const Commit& commit) {
  const std::time_t local = commit.author_seconds + commit.author_offset_minutes * 60;
  std::tm parts{};
  ::gmtime_r(&local, &parts);
  return parts;
}

}  // namespace

Commit ParseCommit(std::string id, std::string_view bytes) {
  Commit commit;
  commit.id = std::move(id);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
    if (line.empty()) break;
    if (line.starts_with("parent ")) commit.parents.emplace_back(line.substr(7));
    if (line.starts_with("author ")) ReadAuthor(line.substr(7), commit);
  }
  commit.message = AsUtf8(std::string(bytes));
  return commit;
}

std::vector<Commit> ParseCommits(std::string_view batch) {
  std::vector<Commit> commits;
  while (!batch.empty()) {
    const std::size_t end = batch.find('\n');
    if (end == batch.npos) break;
    const std::vector<std::string_view> words = Split(batch.substr(0, end), ' ');
    std::size_t size = 0;
    if (words.size() != 3 || words[1] != "commit" || !ReadNumber(words[2], size)) break;
    batch.remove_prefix(end + 1);
    if (size >= batch.size()) break;
    commits.push_back(ParseCommit(std::string(words[0]), batch.substr(0, size)));
    batch.remove_prefix(size + 1);
  }
  return commits;
}

std::string AuthorText(const Commit& commit) {
  return "<git.Actor \"" + commit.author_name + " <" + commit.author_email.value_or("None") +
         ">\">";
}

std::string DateText(const Commit& commit) {
  const std::tm parts = LocalTime(commit);
  const int offset = std::abs(commit.author_offset_minutes);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}{:02}:{:02}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     commit.author_offset_minutes < 0 ? '-' : '+', offset / 60, offset % 60);
}

std::string DateObjectText(const Commit& commit) {
  const std::tm parts = LocalTime(commit);
  const std::string seconds = parts.tm_sec == 0 ? "" : fmt::format(", {}", parts.tm_sec);
  // The original shows where its time zone lies in memory; readers skip it, parsers expect it.
  return fmt::format(
      "datetime.datetime({}, {}, {}, {}, {}{}, tzinfo=<git.objects.util.tzoffset object at "
      "0x7f5a30c1e2d0>)",
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, seconds);
}

}  // namespace viv::tools::git
