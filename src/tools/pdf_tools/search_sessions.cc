#include "tools/pdf_tools/search_sessions.h"

#include <re2/re2.h>

#include "base/ids.h"

namespace viv::tools::pdf {
namespace {

constexpr std::size_t kSearchesMax = 50;
constexpr std::size_t kTextBytesMax = 96 << 20;  // of all searches
constexpr std::int64_t kAgeMsMax = 30 * 60 * 1000;
constexpr int kContextCharacters = 100;
constexpr std::size_t kMatchShownBytes = 20'000;

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::size_t Back(std::string_view text, std::size_t at) {
  for (int i = 0; i < kContextCharacters && at > 0; ++i) {
    --at;
    while (at > 0 && Continues(text[at])) --at;
  }
  return at;
}

std::size_t Forward(std::string_view text, std::size_t at, int characters) {
  for (int i = 0; i < characters && at < text.size(); ++i) {
    ++at;
    while (at < text.size() && Continues(text[at])) ++at;
  }
  return at;
}

std::size_t TextBytes(const PdfSearch& search) {
  std::size_t bytes = search.matches.size() * sizeof(PdfMatch);
  for (const std::string& page : search.pages) bytes += page.size();
  return bytes;
}

}  // namespace

std::int64_t PdfSearch::page_count() const {
  return (static_cast<std::int64_t>(matches.size()) + page_size - 1) / page_size;
}

void FindMatches(const re2::RE2& pattern, PdfSearch& search) {
  for (std::size_t i = 0; i < search.pages.size(); ++i) {
    const std::string& text = search.pages[i];
    re2::StringPiece match;
    std::size_t at = 0;
    while (at <= text.size() &&
           pattern.Match(text, at, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
      const auto begin = static_cast<std::size_t>(match.data() - text.data());
      const std::size_t end = begin + match.size();
      if (search.matches.size() >= kMatchesMax) {
        search.all_kept = false;
        return;
      }
      search.matches.push_back({static_cast<int>(i) + 1, begin, end});
      at = match.empty() ? (end == text.size() ? end + 1 : Forward(text, end, 1)) : end;
    }
  }
}

std::string RenderMatches(const PdfSearch& search) {
  std::string out;
  const auto first = static_cast<std::size_t>((search.current_page - 1) * search.page_size);
  const std::size_t last =
      std::min(search.matches.size(), first + static_cast<std::size_t>(search.page_size));
  for (std::size_t i = first; i < last; ++i) {
    const PdfMatch& match = search.matches[i];
    const std::string_view text = search.pages[static_cast<std::size_t>(match.page) - 1];
    const std::string found(
        text.substr(match.begin, std::min(match.end - match.begin, kMatchShownBytes)));
    const std::size_t from = Back(text, match.begin);
    const std::size_t to = Forward(text, match.end, kContextCharacters);
    out += "Match " + std::to_string(i + 1) + ":\n  Page: " + std::to_string(match.page) +
           "\n  Text: \"" + found + "\"\n  Context: ..." +
           std::string(text.substr(from, match.begin - from)) + "[" + found + "]" +
           std::string(text.substr(match.end, to - match.end)) + "...\n\n";
  }
  return out;
}

void SearchSessions::DropOld(std::int64_t now) {
  std::size_t bytes = 0, count = 0;
  for (auto search = searches_.begin(); search != searches_.end();) {
    bytes += TextBytes(*search);
    const bool keep = ++count == 1 || (count <= kSearchesMax && bytes <= kTextBytesMax &&
                                       now - search->last_used_ms <= kAgeMsMax);
    search = keep ? std::next(search) : searches_.erase(search);
  }
}

std::string SearchSessions::Add(PdfSearch search) {
  const std::lock_guard lock(mutex_);
  search.id = RandomHex(8);
  search.last_used_ms = clock_();
  searches_.push_front(std::move(search));
  DropOld(searches_.front().last_used_ms);
  return searches_.front().id;
}

bool SearchSessions::Use(std::string_view id, const std::function<void(PdfSearch&)>& use) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = clock_();
  for (auto search = searches_.begin(); search != searches_.end(); ++search) {
    if (search->id != id) continue;
    if (now - search->last_used_ms > kAgeMsMax) {
      searches_.erase(search);
      return false;
    }
    search->last_used_ms = now;
    use(*search);
    searches_.splice(searches_.begin(), searches_, search);
    return true;
  }
  return false;
}

}  // namespace viv::tools::pdf
