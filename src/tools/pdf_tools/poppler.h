#pragma once
// What poppler's programs say about a PDF: its facts and the text of its pages.

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::tools::pdf {

struct PdfInfo {
  int pages = 0;
  bool has_metadata = false;
  std::optional<std::string> title, author, creator, created;
};

// From pdfinfo's output; pure, for tests. Nothing when it does not say how many pages there are.
std::optional<PdfInfo> ParsePdfInfo(std::string_view output);

// The errors say what is wrong with the file, in the words of PyPDF2 where it has some.
Result<PdfInfo> ReadPdfInfo(const std::string& file, const std::atomic<bool>& cancelled);

// The text of the pages `first` to `last`, from 1, in the order of the content; its lines end where
// PyPDF2 has them end, or where that is not installed, where poppler does.
Result<std::vector<std::string>> ReadPdfText(const std::string& file,
                                             int first,
                                             int last,
                                             const std::atomic<bool>& cancelled);

}  // namespace viv::tools::pdf
