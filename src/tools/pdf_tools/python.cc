#include "tools/pdf_tools/python.h"

#include "base/json.h"
#include "tools/pdf_tools/limited_run.h"

namespace viv::tools::pdf {
namespace {

// Beyond it poppler is asked, which is many times faster.
constexpr std::chrono::seconds kPyPdf2TimeMax{15};
constexpr std::chrono::seconds kPatternTimeMax{10};
constexpr std::size_t kPythonOutputMax = 64 << 20;

// usage: FILE FIRST LAST. PyPDF2 goes on as pypdf, which is what newer systems have. Lone halves of
// surrogate pairs, which broken fonts give, become question marks.
constexpr const char* kReadText = R"PY(
import json, sys
try:
    from PyPDF2 import PdfReader
except ImportError:
    from pypdf import PdfReader
file, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(file, "rb") as stream:
    pages = PdfReader(stream).pages
    texts = [pages[i].extract_text() for i in range(first - 1, last)]
json.dump([text.encode("utf-8", "replace").decode("utf-8") for text in texts], sys.stdout)
)PY";

// Reads {"pattern", "pages", "matches_max"}, writes {"matches": [[page, begin, end], …], "all"},
// with places in bytes, or {"error"}.
constexpr const char* kFindMatches = R"PY(
import json, re, sys
asked = json.load(sys.stdin)
found, every = [], True
try:
    pattern = re.compile(asked["pattern"], re.IGNORECASE | re.MULTILINE)
except (re.error, RecursionError, OverflowError) as problem:
    json.dump({"error": str(problem)}, sys.stdout)
    sys.exit()
for number, text in enumerate(asked["pages"], 1):
    character, byte = 0, 0
    for match in pattern.finditer(text):
        if len(found) >= asked["matches_max"]:
            every = False
            break
        byte += len(text[character:match.start()].encode())
        character = match.start()
        found.append([number, byte, byte + len(match.group().encode())])
json.dump({"matches": found, "all": every}, sys.stdout)
)PY";

Result<json::value> RunPython(LimitedCommand command) {
  command.package = "python3";
  command.output_max = kPythonOutputMax;
  ASSIGN_OR_RETURN(RunResult end, RunLimited(command));
  if (end.exit_code != 0 || end.output_cut)
    return Fail(ErrorCode::kUnavailable, "Python cannot do it here");
  return ParseJson(end.output);
}

bool ReadMatch(const json::value& given, PdfSearch& search) {
  if (!given.is_array() || given.get_array().size() != 3) return false;
  std::int64_t numbers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!given.get_array()[i].is_int64()) return false;
    numbers[i] = given.get_array()[i].get_int64();
  }
  const auto [page, begin, end] = numbers;
  if (page < 1 || page > static_cast<std::int64_t>(search.pages.size()) || begin < 0 ||
      end < begin ||
      end > static_cast<std::int64_t>(search.pages[static_cast<std::size_t>(page) - 1].size()))
    return false;
  search.matches.push_back(
      {static_cast<int>(page), static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  return true;
}

}  // namespace

Result<std::vector<std::string>> ReadTextByPyPdf2(const std::string& file,
                                                  int first,
                                                  int last,
                                                  const std::atomic<bool>& cancelled) {
  LimitedCommand command{.arguments = {"python3", "-I", "-W", "ignore", "-c", kReadText, file,
                                       std::to_string(first), std::to_string(last)},
                         .package = {},
                         .cancelled = cancelled};
  command.time_max = kPyPdf2TimeMax;
  ASSIGN_OR_RETURN(json::value read, RunPython(std::move(command)));
  std::vector<std::string> pages;
  if (read.is_array())
    for (const json::value& text : read.get_array())
      if (text.is_string()) pages.emplace_back(text.get_string());
  if (pages.size() != static_cast<std::size_t>(last - first + 1))
    return Fail(ErrorCode::kUnavailable, "PyPDF2 did not read all pages");
  return pages;
}

Status FindMatchesByPython(PdfSearch& search, const std::atomic<bool>& cancelled) {
  json::array pages(search.pages.begin(), search.pages.end());
  LimitedCommand command{.arguments = {"python3", "-I", "-W", "ignore", "-c", kFindMatches},
                         .package = {},
                         .cancelled = cancelled};
  command.time_max = kPatternTimeMax;
  command.what = "pattern";
  command.input = WriteJson(json::object{
      {"pattern", search.pattern}, {"pages", std::move(pages)}, {"matches_max", kMatchesMax}});
  ASSIGN_OR_RETURN(json::value result, RunPython(std::move(command)));
  if (const std::string_view problem = FindString(result, "error"); !problem.empty())
    return Fail(ErrorCode::kInvalidArgument, std::string(problem));
  const json::value* matches = Find(result, "matches");
  const json::value* all = Find(result, "all");
  if (matches == nullptr || !matches->is_array() || all == nullptr || !all->is_bool())
    return Fail(ErrorCode::kUnavailable, "Python gave no matches");
  search.all_kept = all->get_bool();
  for (const json::value& match : matches->get_array())
    if (!ReadMatch(match, search))
      return Fail(ErrorCode::kUnavailable, "Python gave matches that cannot be");
  return {};
}

}  // namespace viv::tools::pdf
