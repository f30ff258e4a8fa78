// search_pdf_content and the tools that page through its results.

#include <ctime>

#include "tools/kit/run.h"
#include "tools/kit/unicode_pattern.h"
#include "tools/pdf_tools/pdf_server.h"
#include "tools/pdf_tools/poppler.h"
#include "tools/pdf_tools/python.h"

namespace viv::tools::pdf {
namespace {

constexpr int kSearchedPagesMax = 20'000;

std::string PageOf(const PdfSearch& search) {
  return std::to_string(search.current_page) + "/" + std::to_string(search.page_count());
}

std::string Heading(const PdfSearch& search) {
  return "Search ID: " + search.id + "\nPattern: " + search.pattern +
         "\nTotal matches: " + std::to_string(search.matches.size()) +
         (search.all_kept ? "" : " (more were not kept: use a narrower pattern)") +
         "\nPage: " + PageOf(search) + "\n";
}

Result<std::vector<std::string>> AllText(const std::string& file,
                                         const std::atomic<bool>& cancelled) {
  ASSIGN_OR_RETURN(PdfInfo info, ReadPdfInfo(file, cancelled));
  if (info.pages > kSearchedPagesMax)
    return Fail(ErrorCode::kLimitExceeded, "the file has more than 20000 pages");
  return ReadPdfText(file, 1, info.pages, cancelled);
}

ToolResult SearchTool(PdfServer& pdf, const Arguments& arguments, const CallContext& context) {
  PdfSearch search;
  search.path = arguments.Text("pdf_file_path");
  search.pattern = arguments.Text("pattern");
  search.page_size = arguments.Integer("page_size", 10);
  auto file = pdf.documents.Locate(search.path, "Error resolving path", context.cancelled);
  if (!file && file.error().code != ErrorCode::kNotFound) return Text(file.error().message);
  std::string warning;
  if (search.page_size < 10 || search.page_size > 50) {
    warning = "Warning: Page size " + std::to_string(search.page_size) +
              " is out of range (10-50). Using default value 10.\n";
    search.page_size = 10;
  }
  auto pattern = CompilePattern(search.pattern, LetterCase::kIgnored);
  if (!pattern && FindProgram("python3").empty())
    return Text("Error searching PDF: invalid pattern: " + pattern.error().message);
  auto pages = file ? AllText(*file, context.cancelled)
                    : Result<std::vector<std::string>>(Fail(ErrorCode::kNotFound, "no such file"));
  if (!pages || pages->empty())
    return Text("Error: Could not extract text from PDF or PDF is empty" +
                (pages ? "" : " (" + pages.error().message + ")"));
  search.pages = *std::move(pages);
  // RE2 takes time in proportion to the text; what is beyond it goes to Python, under a limit.
  if (pattern) {
    FindMatches(**pattern, search);
  } else if (Status found = FindMatchesByPython(search, context.cancelled); !found) {
    const bool invalid = found.error().code == ErrorCode::kInvalidArgument;
    return Text("Error searching PDF: " + std::string(invalid ? "invalid pattern: " : "") +
                found.error().message);
  }
  if (search.matches.empty()) return Text("No matches found for pattern: " + search.pattern);
  const std::string id = pdf.searches.Add(std::move(search));
  std::string text = warning;
  pdf.searches.Use(id, [&](PdfSearch& kept) {
    text += Heading(kept) + "Results per page: " + std::to_string(kept.page_size) + "\n\n" +
            RenderMatches(kept);
    if (kept.page_count() > 1)
      text +=
          "Use search_pdf_next_page, search_pdf_prev_page, or search_pdf_go_page with "
          "search_id '" +
          id + "' to navigate.";
  });
  return Text(std::move(text));
}

// Runs `use` on the search that the arguments name, or says that there is none.
ToolResult OnSearch(PdfServer& pdf,
                    const Arguments& arguments,
                    const std::function<std::string(PdfSearch&)>& use) {
  const std::string id = arguments.Text("search_id");
  std::string text = "Error: Search session '" + id + "' not found or expired";
  pdf.searches.Use(id, [&](PdfSearch& search) { text = use(search); });
  return Text(std::move(text));
}

std::string Shown(const PdfSearch& search) {
  return Heading(search) + "\n" + RenderMatches(search);
}

std::string NextPage(PdfSearch& search) {
  if (search.current_page >= search.page_count())
    return "Already on last page (" + PageOf(search) + ")";
  ++search.current_page;
  return Shown(search);
}

std::string PreviousPage(PdfSearch& search) {
  if (search.current_page <= 1) return "Already on first page (1)";
  --search.current_page;
  return Shown(search);
}

std::string GoToPage(PdfSearch& search, std::int64_t page) {
  if (page < 1 || page > search.page_count())
    return "Error: Page number " + std::to_string(page) + " is out of range (1-" +
           std::to_string(search.page_count()) + ")";
  search.current_page = page;
  return Shown(search);
}

std::string Describe(const PdfSearch& search) {
  const std::time_t time = search.last_used_ms / 1000;
  std::tm parts{};
  ::localtime_r(&time, &parts);
  char when[32];
  std::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
  return "Search Session Information:\nSearch ID: " + search.id + "\nPDF Path: " + search.path +
         "\nPattern: " + search.pattern +
         "\nTotal matches: " + std::to_string(search.matches.size()) +
         "\nCurrent page: " + PageOf(search) +
         "\nResults per page: " + std::to_string(search.page_size) + "\nLast accessed: " + when +
         "\n";
}

}  // namespace

void AddSearchTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf) {
  server.On(
      "search_pdf_content",
      [pdf](const Arguments& arguments, const CallContext& context) -> CallResult {
        return SearchTool(*pdf, arguments, context);
      },
      Concurrency::kParallel);
  server.On("search_pdf_next_page",
            [pdf](const Arguments& arguments, const CallContext&) -> CallResult {
              return OnSearch(*pdf, arguments, NextPage);
            });
  server.On("search_pdf_prev_page",
            [pdf](const Arguments& arguments, const CallContext&) -> CallResult {
              return OnSearch(*pdf, arguments, PreviousPage);
            });
  server.On("search_pdf_go_page",
            [pdf](const Arguments& arguments, const CallContext&) -> CallResult {
              const std::int64_t page = arguments.Integer("page_number");
              return OnSearch(*pdf, arguments,
                              [page](PdfSearch& search) { return GoToPage(search, page); });
            });
  server.On("search_pdf_info", [pdf](const Arguments& arguments, const CallContext&) -> CallResult {
    return OnSearch(*pdf, arguments, Describe);
  });
}

}  // namespace viv::tools::pdf
