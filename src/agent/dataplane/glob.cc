#include <sys/stat.h>

#include <optional>
#include <string>

#include "agent/dataplane/file_requests.h"
#include "agent/dataplane/search.h"
#include "agent/files/fs_user.h"
#include "agent/files/paths.h"
#include "base/json.h"
#include "base/timestamp.h"

namespace viv::agent {
namespace {

constexpr std::size_t kGlobMatchesMax = 10'000;

// To be called as the user. Of a link it tells where it leads, if it leads anywhere.
std::optional<json::object> DescribeFound(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 && ::lstat(path.c_str(), &info) != 0) return std::nullopt;
  Timestamp modified{info.st_mtim.tv_sec, static_cast<int>(info.st_mtim.tv_nsec)};
  return json::object{{"path", ValidUtf8(path)},
                      {"is_dir", S_ISDIR(info.st_mode)},
                      {"size_bytes", static_cast<std::int64_t>(info.st_size)},
                      {"modified_at", FormatTimestamp(modified)}};
}

struct GlobSearch {
  TreeSearch search;
  std::size_t limit;
  json::array matches = {};
  bool more = false;  // than the limit

  // Whether it is done.
  bool Step() {
    TreeSearch::Step step = search.Next();
    if (step != TreeSearch::Step::kFound) return step == TreeSearch::Step::kDone;
    std::optional<json::object> found = DescribeFound(search.found());
    if (!found) return false;  // gone meanwhile
    if (matches.size() == limit) {
      more = true;
      return true;
    }
    matches.push_back(*std::move(found));
    return false;
  }
};

}  // namespace

Task<http::Response> GlobFiles(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::string wanted = fields.Text("pattern").value_or("");
  std::string below = fields.Text("path").value_or("");
  std::size_t limit = SearchLimit(fields, kGlobMatchesMax, kGlobMatchesMax);
  if (!fields.ok()) co_return RenderBadFileRequest(fields.error().message);
  Result<GlobPattern> pattern = GlobPattern::Parse(wanted);
  if (!pattern) co_return RenderBadFileRequest("pattern: " + pattern.error().message);
  FileResult<User> user = DataPlaneUser(context);
  if (!user) co_return RenderDataPlaneFileError(FileUse::kRead, user.error());
  FileResult<std::string> path = DataPlanePath(context, *user, below);
  if (!path) co_return RenderBadFileRequest(path.error().message);

  GlobSearch job{.search = TreeSearch(*path, *std::move(pattern)), .limit = limit};
  ErrnoOr<void> opened = RunAsUser(*user, [&] { return job.search.Open(); });
  if (!opened) {
    FileError file_error = FailFile(opened.error(), "search '" + *path + "'").value();
    if (file_error.code == ENOTDIR) file_error.code = EINVAL;  // it is there, but a file
    co_return RenderDataPlaneFileError(FileUse::kRead, file_error);
  }
  std::function<bool()> step = [&job] { return job.Step(); };
  bool finished = co_await RunInSlices(*user, std::move(step));
  bool truncated = !finished || job.more || job.search.truncated();
  json::object answer{{"matches", std::move(job.matches)}, {"truncated", truncated}};
  co_return http::Json(200, WriteJson(answer));
}

}  // namespace viv::agent
