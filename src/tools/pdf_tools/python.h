#pragma once
// What the box's own Python does for the PDF tools, under the limits of limited_run.h. The original
// of these tools is written in it: PyPDF2 decides where a line of text ends, and patterns may have
// look-around and back references, which RE2 has not. Without Python, or without PyPDF2 and its
// successor pypdf, both are kUnavailable and the callers do with poppler and RE2.

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/pdf_tools/search_sessions.h"

namespace viv::tools::pdf {

// The text of the pages `first` to `last`, from 1, as PyPDF2 extracts it.
Result<std::vector<std::string>> ReadTextByPyPdf2(const std::string& file,
                                                  int first,
                                                  int last,
                                                  const std::atomic<bool>& cancelled);

// Adds the matches of the search's pattern by Python's `re`. kInvalidArgument for what is no
// pattern, in its words.
Status FindMatchesByPython(PdfSearch& search, const std::atomic<bool>& cancelled);

}  // namespace viv::tools::pdf
