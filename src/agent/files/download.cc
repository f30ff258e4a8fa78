#include "agent/files/download.h"

#include <memory>
#include <optional>

#include "agent/files/access.h"
#include "agent/files/byte_range.h"
#include "agent/files/content_coding.h"
#include "agent/files/endpoint.h"
#include "agent/files/file_sender.h"
#include "agent/files/fs_user.h"
#include "agent/files/media_type.h"
#include "agent/files/open_file.h"
#include "agent/files/paths.h"
#include "base/clock.h"
#include "http/response_writer.h"

namespace viv::agent {
namespace {

constexpr std::size_t kGzipBytesMin = 1024;  // below that it saves nothing

// A range is of the file as the client knows it: one that changed since is sent whole.
std::string_view RangeHeader(const http::Request& request, std::string_view modified) {
  std::string_view condition = request.headers.Get("if-range");
  if (!condition.empty() && condition != modified) return {};
  return request.headers.Get("range");
}

http::Response RefuseRange(std::uint64_t size) {
  http::Response response =
      RenderFileError(416, "invalid range: the file has " + std::to_string(size) + " bytes");
  response.headers.Add("Content-Range", "bytes */" + std::to_string(size));
  return response;
}

http::Response DownloadHead(const std::string& path, const std::string& modified) {
  http::Response response;
  response.headers.Add("Content-Type", std::string(ContentTypeOf(path)));
  response.headers.Add("Content-Disposition", DispositionOf("inline", BaseOf(path)));
  response.headers.Add("Last-Modified", modified);
  response.headers.Add("Accept-Ranges", "bytes");
  response.headers.Add("Vary", "Accept-Encoding");
  return response;
}

http::Response DownloadResponse(const http::Request& request,
                                const std::string& path,
                                OpenedFile opened) {
  std::string_view accepted = request.headers.Get("accept-encoding");
  std::optional<ContentCoding> coding = ChooseContentCoding(accepted);
  if (!coding) {
    return RenderFileError(406, "no acceptable encoding found, supported: [identity, gzip]");
  }
  std::uint64_t size = opened.info.st_size;
  std::string modified = http::HttpDate(opened.info.st_mtim.tv_sec);
  RangeChoice choice = ChooseRange(RangeHeader(request, modified), size);
  if (choice.kind == RangeChoice::Kind::kUnsatisfiable) return RefuseRange(size);

  http::Response response = DownloadHead(path, modified);
  FileSender sender(std::move(opened.file), size);
  if (choice.kind == RangeChoice::Kind::kPart) {
    std::uint64_t last = choice.range.first + choice.range.count - 1;
    response.status = 206;
    response.headers.Add("Content-Range", "bytes " + std::to_string(choice.range.first) + "-" +
                                              std::to_string(last) + "/" + std::to_string(size));
    sender.Limit(choice.range.first, choice.range.count);
  } else if (*coding == ContentCoding::kGzip &&
             (size >= kGzipBytesMin || RefusesIdentity(accepted))) {
    response.headers.Add("Content-Encoding", "gzip");
    sender.UseGzip();
  }
  if (ErrnoOr<void> attached = std::move(sender).AttachTo(response); !attached) {
    return RenderFileError(500,
                           "error reading file '" + path + "': " + ErrnoText(attached.error()));
  }
  return response;
}

}  // namespace

Task<http::Response> DownloadFile(Context& context, http::Request& request) {
  if (auto refusal = RefuseAccess(context, request, FileAccess::kRead, NowMs() / 1000)) {
    co_return RenderFileError(refusal->status, refusal->message);
  }
  FileResult<User> user = UserOfFile(context, request.Query("username").value_or(""));
  if (!user) co_return RenderFileError(401, user.error().message);
  FileResult<std::string> path =
      ResolveGivenPath(context, *user, request.Query("path").value_or(""));
  if (!path) co_return RenderFileError(path.error());

  FileResult<OpenedFile> opened =
      RunAsUserWithRootCapabilities(*user, [&] { return OpenForReading(*path); });
  std::uint64_t size = opened ? opened->info.st_size : 0;
  http::Response response = opened ? DownloadResponse(request, *path, *std::move(opened))
                                   : RenderFileError(opened.error());
  LogFileOperation(context, {"File read", *path, user->name, size, response.status});
  co_return response;
}

}  // namespace viv::agent
