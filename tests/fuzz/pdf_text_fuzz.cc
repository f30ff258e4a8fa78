// What pdf-tools reads: pdfinfo's words about a hostile file, and patterns searched for in its
// text.

#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_target.h"
#include "tools/kit/unicode_pattern.h"
#include "tools/pdf_tools/poppler.h"
#include "tools/pdf_tools/search_sessions.h"

FUZZ_TARGET(pdf_text)(const std::uint8_t* data, std::size_t size) {
  using namespace viv::tools;
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto info = pdf::ParsePdfInfo(text); info && info->pages < 0) __builtin_trap();
  const std::string_view first = text.substr(0, text.find('\n'));
  if (auto pattern = CompilePattern(first, LetterCase::kIgnored)) {
    pdf::PdfSearch search;
    search.pages = {std::string(text.substr(first.size()))};
    pdf::FindMatches(**pattern, search);
    if (!search.matches.empty()) pdf::RenderMatches(search);
  }
  return 0;
}
