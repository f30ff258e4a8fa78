#pragma once
// Searches that can be paged through: each has an id, its matches and a current page. The least
// recently used go when there are too many of them, and any after half an hour. Thread-safe.

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace re2 {
class RE2;
}

namespace viv::tools::pdf {

constexpr std::size_t kMatchesMax = 100'000;  // of one search

// Places in the text of a page, in bytes.
struct PdfMatch {
  int page = 1;
  std::size_t begin = 0, end = 0;
};

struct PdfSearch {
  std::string id;
  std::string path;     // as the agent gave it
  std::string pattern;  // likewise
  std::vector<std::string> pages;
  std::vector<PdfMatch> matches;
  bool all_kept = true;  // false: there were more than we keep
  std::int64_t page_size = 10;
  std::int64_t current_page = 1;
  std::int64_t last_used_ms = 0;

  std::int64_t page_count() const;
};

// As Python's finditer goes through each page.
void FindMatches(const re2::RE2& pattern, PdfSearch& search);

// The matches of the current page, each with a hundred characters around it.
std::string RenderMatches(const PdfSearch& search);

class SearchSessions {
 public:
  explicit SearchSessions(Clock clock = NowMs) : clock_(std::move(clock)) {}

  std::string Add(PdfSearch search);  // its new id
  // Runs `use` on the search with this id; false when there is none.
  bool Use(std::string_view id, const std::function<void(PdfSearch&)>& use);

 private:
  void DropOld(std::int64_t now);

  const Clock clock_;
  std::mutex mutex_;
  std::list<PdfSearch> searches_;  // the most recently used first
};

}  // namespace viv::tools::pdf
