// merge_pdfs and extract_pdf_pages, by qpdf.

#include <fcntl.h>

#include "base/text.h"
#include "tools/pdf_tools/limited_run.h"
#include "tools/pdf_tools/pdf_server.h"
#include "tools/pdf_tools/poppler.h"

namespace viv::tools::pdf {
namespace {

constexpr std::size_t kFilesMax = 500;
constexpr std::size_t kPageNumbersMax = 10'000;
constexpr std::size_t kMadeBytesMax = 256 << 20;
constexpr int kQpdfWarnings = 3;  // its exit code when it could help itself

// Makes a PDF of the pages that `sources` name, pairs of a file and a range, and stores it.
Status MakePdf(const Documents& documents,
               const std::vector<std::string>& sources,
               const std::string& target,
               const std::atomic<bool>& cancelled) {
  std::vector<std::string> arguments = {"qpdf", "--empty", "--no-warn"};
  if (!sources.empty()) {
    arguments.emplace_back("--pages");
    arguments.insert(arguments.end(), sources.begin(), sources.end());
    arguments.emplace_back("--");
  }
  arguments.emplace_back("-");
  const LimitedCommand command{std::move(arguments), "qpdf", kMadeBytesMax, cancelled};
  ASSIGN_OR_RETURN(RunResult end, RunLimited(command));
  if (end.output_cut)
    return Fail(ErrorCode::kLimitExceeded, "the new PDF would be larger than 256 MiB");
  if (end.exit_code != 0 && end.exit_code != kQpdfWarnings)
    return Fail(ErrorCode::kInvalidArgument,
                Printable(Trim(std::string_view(end.error).substr(0, end.error.find('\n'))), 300));
  return ReplaceFile(documents.workspace(), target, end.output);
}

struct Sources {
  std::vector<std::string> files;
  std::int64_t pages = 0;
};

// All names are judged before any file is read, and the target too.
Result<Sources> ReadSources(PdfServer& pdf,
                            const std::vector<std::string>& names,
                            const std::atomic<bool>& cancelled) {
  Sources sources;
  std::string missing;
  for (const std::string& name : names) {
    auto file = pdf.documents.Locate(name, "Error resolving path '" + name + "'", cancelled);
    if (!file && file.error().code == ErrorCode::kNotFound) {
      if (missing.empty()) missing = "Error reading PDF '" + name + "': " + PythonMissing(name);
    } else if (!file) {
      return PassUp(file.error());
    } else {
      sources.files.push_back(*std::move(file));
    }
  }
  if (!missing.empty()) return Fail(ErrorCode::kNotFound, missing);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto info = ReadPdfInfo(sources.files[i], cancelled);
    if (!info)
      return Fail(info.error().code,
                  "Error reading PDF '" + names[i] + "': " + info.error().message);
    sources.pages += info->pages;
  }
  return sources;
}

ToolResult MergeTool(PdfServer& pdf, const Arguments& arguments, const CallContext& context) {
  const std::vector<std::string> names = arguments.Texts("pdf_paths");
  const std::string output = arguments.Text("output_path");
  if (names.size() > kFilesMax)
    return Text("Error merging PDFs: no more than 500 files can be merged at once");
  auto target = pdf.documents.LocateNew(output);
  if (!target && target.error().code == ErrorCode::kPermissionDenied)
    return Text(target.error().message);
  auto sources = ReadSources(pdf, names, context.cancelled);
  if (!sources) return Text(sources.error().message);
  if (!target) return Text("Error merging PDFs: " + target.error().message);
  std::vector<std::string> pieces;
  for (const std::string& file : sources->files) {
    pieces.push_back(file);
    pieces.emplace_back("1-z");
  }
  if (Status made = MakePdf(pdf.documents, pieces, *target, context.cancelled); !made)
    return Text("Error merging PDFs: " + made.error().message);
  return Text("Successfully merged " + std::to_string(names.size()) + " PDFs into '" + output +
              "'\nTotal pages: " + std::to_string(sources->pages));
}

// The page numbers that exist, as qpdf takes them.
std::string ValidPages(const json::array& asked, int pages, std::size_t& count) {
  std::string valid;
  for (const json::value& number : asked) {
    if (!number.is_int64() || number.get_int64() < 1 || number.get_int64() > pages) continue;
    valid += (valid.empty() ? "" : ",") + std::to_string(number.get_int64());
    ++count;
  }
  return valid;
}

std::string AsPythonList(const std::string& commas) {
  std::string text = "[";
  for (char c : commas) (text += c) += c == ',' ? " " : "";
  return text + "]";
}

ToolResult ExtractTool(PdfServer& pdf, const Arguments& arguments, const CallContext& context) {
  const std::string source = arguments.Text("source_path");
  const std::string output = arguments.Text("output_path");
  const json::array& asked = arguments.List("page_numbers");
  if (asked.size() > kPageNumbersMax)
    return Text("Error extracting pages: no more than 10000 pages can be extracted at once");
  auto file = pdf.documents.Locate(source, "Error resolving source path", context.cancelled);
  if (!file && file.error().code != ErrorCode::kNotFound) return Text(file.error().message);
  auto target = pdf.documents.LocateNew(output);
  if (!target && target.error().code == ErrorCode::kPermissionDenied)
    return Text(target.error().message);
  if (!file) return Text(file.error().message);
  auto info = ReadPdfInfo(*file, context.cancelled);
  if (!info) return Text("Error extracting pages: " + info.error().message);
  std::size_t count = 0;
  const std::string valid = ValidPages(asked, info->pages, count);
  if (count == 0)
    return Text("Error: No valid pages to extract from PDF (total pages: " +
                std::to_string(info->pages) + ")");
  if (!target) return Text("Error extracting pages: " + target.error().message);
  if (Status made = MakePdf(pdf.documents, {*file, valid}, *target, context.cancelled); !made)
    return Text("Error extracting pages: " + made.error().message);
  return Text("Successfully extracted " + std::to_string(count) + " pages from '" + source +
              "' to '" + output + "'\nExtracted pages: " + AsPythonList(valid) +
              "\nSource PDF total pages: " + std::to_string(info->pages));
}

}  // namespace

void AddPageTools(ToolServer& server, const std::shared_ptr<PdfServer>& pdf) {
  server.On(
      "merge_pdfs",
      [pdf](const Arguments& arguments, const CallContext& context) -> CallResult {
        return MergeTool(*pdf, arguments, context);
      },
      Concurrency::kParallel);
  server.On(
      "extract_pdf_pages",
      [pdf](const Arguments& arguments, const CallContext& context) -> CallResult {
        return ExtractTool(*pdf, arguments, context);
      },
      Concurrency::kParallel);
}

}  // namespace viv::tools::pdf
