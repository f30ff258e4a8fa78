#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "agent/dataplane/file_requests.h"
#include "agent/dataplane/line_search.h"
#include "agent/dataplane/search.h"
#include "agent/files/fs_user.h"
#include "agent/files/open_file.h"
#include "agent/files/paths.h"
#include "base/json.h"

namespace viv::agent {
namespace {

constexpr std::size_t kGrepMatchesUsual = 1'000;
constexpr std::size_t kGrepMatchesMax = 10'000;
constexpr std::size_t kGrepAnswerBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kGrepLiteralBytesMax = 4096;
constexpr std::uint64_t kGrepFileBytesMax = 64 * 1024 * 1024;  // what lies beyond is not searched
constexpr std::size_t kGrepReadBytes = 256 * 1024;

// One search. Its steps are made as the user.
class GrepSearch {
 public:
  GrepSearch(std::string literal, std::size_t limit)
      : literal_(std::move(literal)), limit_(limit), block_(kGrepReadBytes, '\0') {}

  void SearchBelow(TreeSearch search) { search_.emplace(std::move(search)); }
  void SearchFile(OpenedFile opened, std::string path) {
    if (S_ISREG(opened.info.st_mode)) BeginFile(std::move(opened.file), std::move(path));
  }
  ErrnoOr<void> Open() { return search_ ? search_->Open() : ErrnoOr<void>(); }

  // Whether it is done.
  bool Step() {
    if (file_) {
      ReadBlock();
      return full_;
    }
    if (!search_) return true;
    TreeSearch::Step step = search_->Next();
    if (step == TreeSearch::Step::kFound) OpenFound(search_->found());
    return step == TreeSearch::Step::kDone;
  }

  json::array TakeMatches() { return std::move(matches_); }
  bool truncated() const { return truncated_ || full_ || (search_ && search_->truncated()); }

 private:
  void OpenFound(const std::string& path) {
    struct stat info {};
    // Most of what says that it is empty is; the rest are the kernel's, which can block.
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return;
    constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
    UniqueFd file(::open(path.c_str(), kFlags));
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    BeginFile(std::move(file), path);
  }

  void BeginFile(UniqueFd file, std::string path) {
    file_ = std::move(file);
    path_ = std::move(path);
    read_ = 0;
    lines_.emplace(literal_);
  }

  void ReadBlock() {
    ssize_t count = ::read(file_.get(), block_.data(), block_.size());
    if (count < 0 && errno == EINTR) return;
    std::vector<LineSearch::Match> found;
    bool goes_on = count > 0 && lines_->Feed(std::string_view(block_).substr(0, count), found);
    if (count == 0) lines_->Finish(found);
    read_ += goes_on ? static_cast<std::uint64_t>(count) : 0;
    if (read_ >= kGrepFileBytesMax) {
      truncated_ = true;
      goes_on = false;
    }
    for (LineSearch::Match& match : found) Add(match);
    if (!goes_on) file_ = UniqueFd();
  }

  void Add(LineSearch::Match& match) {
    if (matches_.size() >= limit_ || answer_bytes_ > kGrepAnswerBytesMax) full_ = true;
    if (full_) return;
    answer_bytes_ += match.text.size() + path_.size();
    matches_.push_back(json::object{
        {"path", ValidUtf8(path_)}, {"line", match.line}, {"text", std::move(match.text)}});
  }

  const std::string literal_;
  const std::size_t limit_;
  std::string block_;
  std::optional<TreeSearch> search_;  // none when one file is searched
  UniqueFd file_;                     // being read
  std::string path_;                  // its
  std::uint64_t read_ = 0;            // of it
  std::optional<LineSearch> lines_;
  json::array matches_;
  std::size_t answer_bytes_ = 0;
  bool full_ = false;
  bool truncated_ = false;
};

// A pattern without a slash is of the name alone, at any depth.
Result<GlobPattern> ParseFilter(const std::optional<std::string>& filter) {
  if (!filter || filter->empty()) return GlobPattern::Parse("**");
  bool of_path = filter->find('/') != std::string::npos || filter->find("**") != std::string::npos;
  return GlobPattern::Parse(of_path ? *filter : "**/" + *filter);
}

std::optional<std::string> RefuseLiteral(std::string_view literal) {
  if (literal.empty()) return "pattern is empty: it is the text to search for";
  if (literal.size() > kGrepLiteralBytesMax) return "pattern is too long";
  if (literal.find('\n') == std::string_view::npos) return std::nullopt;
  return "pattern has a line break: text is searched for line by line";
}

// The path may also name one file.
ErrnoOr<void> BeginGrep(GrepSearch& job, const std::string& path, GlobPattern filter) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return FailWithErrno();
  if (S_ISDIR(info.st_mode)) {
    job.SearchBelow(TreeSearch(path, std::move(filter)));
    return job.Open();
  }
  FileResult<OpenedFile> opened = OpenForReading(path);
  if (!opened) return FailWithErrno(opened.error().code);
  job.SearchFile(*std::move(opened), path);
  return {};
}

}  // namespace

Task<http::Response> GrepFiles(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::string literal = fields.Text("pattern").value_or("");
  std::string below = fields.Text("path").value_or("");
  std::optional<std::string> glob = fields.Text("glob");
  std::size_t limit = SearchLimit(fields, kGrepMatchesUsual, kGrepMatchesMax);
  if (!fields.ok()) co_return RenderBadFileRequest(fields.error().message);
  std::optional<std::string> refusal = RefuseLiteral(literal);
  if (refusal) co_return RenderBadFileRequest(*refusal);
  Result<GlobPattern> filter = ParseFilter(glob);
  if (!filter) co_return RenderBadFileRequest("glob: " + filter.error().message);
  FileResult<User> user = DataPlaneUser(context);
  if (!user) co_return RenderDataPlaneFileError(FileUse::kRead, user.error());
  FileResult<std::string> path = DataPlanePath(context, *user, below);
  if (!path) co_return RenderBadFileRequest(path.error().message);

  GrepSearch job(std::move(literal), limit);
  ErrnoOr<void> begun = RunAsUser(*user, [&] { return BeginGrep(job, *path, *filter); });
  if (!begun) {
    FileError file_error = FailFile(begun.error(), "search '" + *path + "'").value();
    co_return RenderDataPlaneFileError(FileUse::kRead, file_error);
  }
  std::function<bool()> step = [&job] { return job.Step(); };
  bool finished = co_await RunInSlices(*user, std::move(step));
  bool truncated = !finished || job.truncated();
  json::object answer{{"matches", job.TakeMatches()}, {"truncated", truncated}};
  co_return http::Json(200, WriteJson(answer));
}

}  // namespace viv::agent
