// read_pdf_pages and get_pdf_info.

#include <algorithm>

#include "base/text.h"
#include "tools/pdf_tools/pdf_server.h"
#include "tools/pdf_tools/poppler.h"

namespace viv::tools::pdf {
namespace {

constexpr int kPagesAtOnceMax = 2000;

struct PageSpan {
  int first = 1, last = 1;
};

// Numbers out of range become the nearest page, and a span that is the wrong way round is turned.
PageSpan Clamp(std::int64_t first, std::int64_t last, int pages) {
  const auto clamp = [&](std::int64_t page) {
    return static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(page, 1), pages));
  };
  const auto [low, high] = std::minmax({clamp(first), clamp(last)});
  return {low, high};
}

Result<std::string> PagesText(const std::string& file,
                              const PdfInfo& info,
                              PageSpan span,
                              const std::atomic<bool>& cancelled) {
  const std::string range = std::to_string(span.first) + "-" + std::to_string(span.last);
  std::string text = "PDF total pages: " + std::to_string(info.pages) + "\n";
  if (span.last - span.first >= kPagesAtOnceMax)
    return Fail(ErrorCode::kLimitExceeded, "no more than 2000 pages can be read at once");
  std::vector<std::string> pages;
  if (info.pages > 0) {
    ASSIGN_OR_RETURN(pages, ReadPdfText(file, span.first, span.last, cancelled));
  }
  std::string body;
  for (std::size_t i = 0; i < pages.size(); ++i)
    if (!Trim(pages[i]).empty())
      body += (body.empty() ? "" : "\n\n") + std::string("=== Page ") +
              std::to_string(span.first + static_cast<int>(i)) + " ===\n" + pages[i];
  if (body.empty())
    return text + "Specified page range (" + range + ") has no extractable text content.";
  return text + "Extracted page range: " + range + "\n\n" + body;
}

ToolResult ReadPagesTool(PdfServer& pdf, const Arguments& arguments, const CallContext& context) {
  auto file = pdf.documents.Locate(arguments.Text("pdf_file_path"), "Error resolving path",
                                   context.cancelled);
  if (!file) return Text(file.error().message);
  const std::int64_t first = arguments.Integer("start_page", 1);
  const std::int64_t last = arguments.Integer("end_page", 1);
  const std::string warning =
      last > first && last - first > 50
          ? "Warning: Reading more than 50 pages at once may cause performance issues or errors.\n"
          : "";
  auto info = ReadPdfInfo(*file, context.cancelled);
  if (!info) return Text(warning + "Error processing PDF: " + info.error().message);
  auto text = PagesText(*file, *info, Clamp(first, last, info->pages), context.cancelled);
  return Text(warning + (text ? *text : "Error processing PDF: " + text.error().message));
}

ToolResult InfoTool(PdfServer& pdf, const Arguments& arguments, const CallContext& context) {
  auto file = pdf.documents.Locate(arguments.Text("pdf_file_path"), "Error resolving path",
                                   context.cancelled);
  if (!file) return Text(file.error().message);
  auto info = ReadPdfInfo(*file, context.cancelled);
  if (!info) return Text("Error getting PDF information: " + info.error().message);
  std::string text = "PDF file information:\nTotal pages: " + std::to_string(info->pages) + "\n";
  if (info->has_metadata)
    text += "Title: " + info->title.value_or("Unknown") +
            "\nAuthor: " + info->author.value_or("Unknown") +
            "\nCreator: " + info->creator.value_or("Unknown") +
            "\nCreation date: " + info->created.value_or("Unknown") + "\n";
  return Text(std::move(text));
}

}  // namespace

void AddReadTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf) {
  server.On(
      "read_pdf_pages",
      [pdf](const Arguments& arguments, const CallContext& context) -> CallResult {
        return ReadPagesTool(*pdf, arguments, context);
      },
      Concurrency::kParallel);
  server.On(
      "get_pdf_info",
      [pdf](const Arguments& arguments, const CallContext& context) -> CallResult {
        return InfoTool(*pdf, arguments, context);
      },
      Concurrency::kParallel);
}

}  // namespace viv::tools::pdf
