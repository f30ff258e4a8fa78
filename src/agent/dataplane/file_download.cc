#include "agent/dataplane/file_download.h"

#include <algorithm>
#include <optional>
#include <string>

#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/etag.h"
#include "agent/dataplane/file_requests.h"
#include "agent/files/byte_range.h"
#include "agent/files/endpoint.h"
#include "agent/files/file_sender.h"
#include "agent/files/fs_user.h"
#include "agent/files/media_type.h"
#include "agent/files/open_file.h"
#include "agent/files/paths.h"
#include "http/response_writer.h"

namespace viv::agent {
namespace {

constexpr std::size_t kContentTypeBytesMax = 256;

// How the file shall be shown, where a download link says so.
struct Presentation {
  std::string content_type;  // empty: by the file's name
  std::string disposition;   // empty: none
};

// Visible ASCII and spaces: nothing that could end the header and begin another.
bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

FileResult<Presentation> PresentationOf(const http::Request& request) {
  Presentation shown;
  shown.content_type = request.Query("content_type").value_or("");
  shown.disposition = request.Query("content_disposition").value_or("");
  const std::string& type = shown.content_type;
  bool fits = type.size() <= kContentTypeBytesMax && IsHeaderText(type);
  bool typed =
      ParseMediaType(type) && type.substr(0, type.find(';')).find('/') != std::string::npos;
  if (!type.empty() && (!fits || !typed)) {
    return FailFileWith(EINVAL, "content_type is no media type such as text/plain");
  }
  bool known = shown.disposition.empty() || shown.disposition == "attachment" ||
               shown.disposition == "inline";
  if (!known) return FailFileWith(EINVAL, "content_disposition is neither attachment nor inline");
  return shown;
}

http::Response DataPlaneDownloadHead(const std::string& path,
                                     const struct stat& info,
                                     const Presentation& shown) {
  http::Response response;
  response.headers.Add("Content-Type", shown.content_type.empty() ? std::string(ContentTypeOf(path))
                                                                  : shown.content_type);
  response.headers.Add("ETag", EtagOf(info));
  response.headers.Add("Last-Modified", http::HttpDate(info.st_mtim.tv_sec));
  response.headers.Add("Accept-Ranges", "bytes");
  response.headers.Add("X-Content-Type-Options", "nosniff");
  if (!shown.disposition.empty()) {
    response.headers.Add("Content-Disposition", DispositionOf(shown.disposition, BaseOf(path)));
  }
  return response;
}

// A range is only of GET, and of the version that the client knows.
RangeChoice ChooseDataPlaneRange(const http::Request& request,
                                 const http::Response& head,
                                 std::uint64_t size) {
  if (request.method != "GET") return {};
  bool known = MatchesIfRange(request.headers.Get("if-range"), head.headers.Get("etag"),
                              head.headers.Get("last-modified"));
  return known ? ChooseRange(request.headers.Get("range"), size) : RangeChoice();
}

http::Response RefuseDataPlaneRange(std::uint64_t size) {
  http::Response response = DataPlaneError(
      416, "ReadError",
      "the range starts past the end of the file, which has " + std::to_string(size) + " bytes");
  response.headers.Add("Content-Range", "bytes */" + std::to_string(size));
  return response;
}

http::Response RespondDataPlaneDownload(const http::Request& request,
                                        const std::string& path,
                                        OpenedFile opened,
                                        const Presentation& shown) {
  http::Response response = DataPlaneDownloadHead(path, opened.info, shown);
  std::uint64_t size = opened.info.st_size;
  if (MatchesIfNoneMatch(request.headers.Get("if-none-match"), response.headers.Get("etag"))) {
    response.status = 304;
    return response;
  }
  RangeChoice choice = ChooseDataPlaneRange(request, response, size);
  if (choice.kind == RangeChoice::Kind::kUnsatisfiable) return RefuseDataPlaneRange(size);
  FileSender sender(std::move(opened.file), size);
  std::uint64_t count = size;
  if (choice.kind == RangeChoice::Kind::kPart) {
    count = choice.range.count;
    std::uint64_t last = choice.range.first + count - 1;
    response.status = 206;
    response.headers.Add("Content-Range", "bytes " + std::to_string(choice.range.first) + "-" +
                                              std::to_string(last) + "/" + std::to_string(size));
    sender.Limit(choice.range.first, count);
  }
  if (ErrnoOr<void> attached = std::move(sender).AttachTo(response); !attached) {
    FileError file_error = FailFile(attached.error(), "read '" + path + "'").value();
    return RenderDataPlaneFileError(FileUse::kRead, file_error);
  }
  // Files of /proc say 0 and have content.
  if (size > 0) response.headers.Add("Content-Length", std::to_string(count));
  return response;
}

}  // namespace

Task<http::Response> DownloadFromDataPlane(Context& context, http::Request& request) {
  std::optional<std::string> given = request.Query("path");
  if (!given || given->empty()) {
    co_return RenderBadFileRequest("the query parameter path is missing: ?path=/file/to/read");
  }
  FileResult<Presentation> shown = PresentationOf(request);
  if (!shown) co_return RenderBadFileRequest(shown.error().message);
  FileResult<User> user = DataPlaneUser(context);
  if (!user) co_return RenderDataPlaneFileError(FileUse::kRead, user.error());
  FileResult<std::string> path = DataPlanePath(context, *user, *given);
  if (!path) co_return RenderDataPlaneFileError(FileUse::kRead, path.error());

  FileResult<OpenedFile> opened = RunAsUser(*user, [&] { return OpenForReading(*path); });
  std::uint64_t size = opened ? opened->info.st_size : 0;
  http::Response response;
  if (opened) {
    response = RespondDataPlaneDownload(request, *path, *std::move(opened), *shown);
  } else {
    response = RenderDataPlaneFileError(FileUse::kRead, opened.error());
  }
  LogFileOperation(context, {"File read", *path, user->name, size, response.status});
  co_return response;
}

}  // namespace viv::agent
