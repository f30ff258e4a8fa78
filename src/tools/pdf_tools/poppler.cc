#include "tools/pdf_tools/poppler.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "tools/kit/tool_result.h"
#include "tools/pdf_tools/limited_run.h"
#include "tools/pdf_tools/python.h"

namespace viv::tools::pdf {
namespace {

constexpr const char* kPoppler = "poppler-utils";
constexpr int kPagesMax = 1'000'000;
constexpr std::size_t kFieldBytesMax = 10'000;
// How many pages are read one by one when their text contains page breaks of its own.
constexpr int kSinglePagesMax = 200;

// What poppler complained about, in a few words.
Error PopplerError(const RunResult& end, const std::string& file) {
  struct stat status {};
  const bool known = ::stat(file.c_str(), &status) == 0;
  if (known && S_ISDIR(status.st_mode))
    return {ErrorCode::kInvalidArgument, "[Errno 21] Is a directory: '" + file + "'"};
  if (known && status.st_size == 0)
    return {ErrorCode::kInvalidArgument, "Cannot read an empty file"};
  const std::string_view said = end.error;
  if (said.find("Incorrect password") != std::string_view::npos)
    return {ErrorCode::kInvalidArgument, "File has not been decrypted"};
  if (said.find("Permission denied") != std::string_view::npos)
    return {ErrorCode::kPermissionDenied, "[Errno 13] Permission denied: '" + file + "'"};
  if (said.find("not be a PDF") != std::string_view::npos ||
      said.find("trailer") != std::string_view::npos || said.find("xref") != std::string_view::npos)
    return {ErrorCode::kInvalidArgument, "EOF marker not found (the file is damaged, or no PDF)"};
  const std::string_view line = said.substr(0, said.find('\n'));
  return {ErrorCode::kInvalidArgument,
          line.empty() ? "the file is damaged, or no PDF" : Printable(line, 300)};
}

std::optional<std::string> Field(std::string_view output, std::string_view label) {
  std::size_t at = output.starts_with(label) ? 0 : output.find("\n" + std::string(label));
  if (at == std::string_view::npos) return std::nullopt;
  at += (at == 0 && output.starts_with(label) ? 0 : 1) + label.size();
  const std::string_view rest = output.substr(at);
  return AsUtf8(std::string(Trim(rest.substr(0, std::min(rest.find('\n'), kFieldBytesMax)))));
}

std::string_view WithoutEndOfPage(std::string_view page) {
  while (page.ends_with('\n') || page.ends_with(' ') || page.ends_with('\r')) page.remove_suffix(1);
  return page;
}

Result<std::string> Extract(const std::string& file,
                            int first,
                            int last,
                            const std::atomic<bool>& cancelled) {
  const LimitedCommand command{{"pdftotext", "-raw", "-enc", "UTF-8", "-f", std::to_string(first),
                                "-l", std::to_string(last), file, "-"},
                               kPoppler,
                               32 << 20,
                               cancelled};
  ASSIGN_OR_RETURN(RunResult end, RunLimited(command));
  if (end.output_cut)
    return Fail(ErrorCode::kLimitExceeded,
                "the text is larger than 32 MiB; ask for fewer pages at once");
  if (end.exit_code != 0) return tl::unexpected(PopplerError(end, file));
  return std::move(end.output);
}

}  // namespace

std::optional<PdfInfo> ParsePdfInfo(std::string_view output) {
  // Titles come first and may contain line ends; the count of pages comes after all of them.
  const std::size_t at = output.rfind("\nPages:");
  std::string_view count;
  if (at != std::string_view::npos) {
    count = output.substr(at + 7);
  } else if (output.starts_with("Pages:")) {
    count = output.substr(6);
  } else {
    return std::nullopt;
  }
  count = Trim(count.substr(0, count.find('\n')));
  PdfInfo info;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), info.pages);
  if (error != std::errc() || info.pages < 0 || info.pages > kPagesMax) return std::nullopt;
  info.title = Field(output, "Title:");
  info.author = Field(output, "Author:");
  info.creator = Field(output, "Creator:");
  info.created = Field(output, "CreationDate:");
  info.has_metadata = info.title || info.author || info.creator || info.created ||
                      Field(output, "Producer:") || Field(output, "Subject:") ||
                      Field(output, "Keywords:") || Field(output, "ModDate:");
  return info;
}

Result<PdfInfo> ReadPdfInfo(const std::string& file, const std::atomic<bool>& cancelled) {
  const LimitedCommand command{
      {"pdfinfo", "-rawdates", "-enc", "UTF-8", file}, kPoppler, 1 << 20, cancelled};
  ASSIGN_OR_RETURN(RunResult end, RunLimited(command));
  if (end.exit_code != 0) return tl::unexpected(PopplerError(end, file));
  auto info = ParsePdfInfo(end.output);
  if (!info) return Fail(ErrorCode::kInvalidArgument, "the file is damaged, or no PDF");
  return *std::move(info);
}

Result<std::vector<std::string>> ReadPdfText(const std::string& file,
                                             int first,
                                             int last,
                                             const std::atomic<bool>& cancelled) {
  std::vector<std::string> pages;
  if (last < first) return pages;
  if (auto text = ReadTextByPyPdf2(file, first, last, cancelled)) return text;
  if (cancelled) return Fail(ErrorCode::kUnavailable, "cancelled");
  ASSIGN_OR_RETURN(std::string text, Extract(file, first, last, cancelled));
  const int count = last - first + 1;
  if (std::ranges::count(text, '\f') == count) {
    for (std::string_view page : Split(text, '\f')) pages.emplace_back(WithoutEndOfPage(page));
    pages.resize(static_cast<std::size_t>(count));
    return pages;
  }
  if (count > kSinglePagesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "the pages of this file cannot be told apart; ask for fewer than 200 at once");
  for (int page = first; page <= last; ++page) {
    ASSIGN_OR_RETURN(std::string one, Extract(file, page, page, cancelled));
    std::ranges::replace(one, '\f', '\n');
    pages.emplace_back(WithoutEndOfPage(one));
  }
  return pages;
}

}  // namespace viv::tools::pdf
