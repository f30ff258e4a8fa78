#include "agent/files/upload.h"

#include <algorithm>
#include <optional>
#include <set>

#include "agent/files/access.h"
#include "agent/files/atomic_file.h"
#include "agent/files/endpoint.h"
#include "agent/files/media_type.h"
#include "agent/files/multipart.h"
#include "agent/files/paths.h"
#include "agent/files/upload_body.h"
#include "base/clock.h"

namespace viv::agent {
namespace {

int StatusOfBodyError(const Error& error) {
  if (error.code == ErrorCode::kLimitExceeded) return 413;
  return 400;  // broken, or the client went away and reads nothing of it
}

// One request; the files it wrote so far.
class Upload {
 public:
  Upload(Context& context, http::Request& request, User user, Metadata metadata, UploadBody body)
      : context_(context),
        user_(std::move(user)),
        metadata_(std::move(metadata)),
        body_(std::move(body)),
        path_(request.Query("path")) {}

  Task<http::Response> Raw();
  Task<http::Response> Form(std::string boundary);

 private:
  FileResult<std::string> DestinationOf(const MultipartParser& parser);
  // Nothing when it went well.
  std::optional<http::Response> Begin(const std::string& path);
  Task<std::optional<http::Response>> End();
  Task<std::optional<http::Response>> Part(MultipartParser& parser, MultipartParser::Step step);
  Task<std::optional<http::Response>> FeedMore(MultipartParser& parser);
  http::Response Fail(int status, std::string_view message);
  http::Response Fail(const FileError& file_error);

  Context& context_;
  User user_;
  Metadata metadata_;
  UploadBody body_;
  std::optional<std::string> path_;  // as given
  std::string destination_;          // of the current file
  std::optional<AtomicFile> output_;
  std::set<std::string> written_;
  json::array entries_;
};

http::Response Upload::Fail(int status, std::string_view message) {
  std::string path = destination_.empty() ? path_.value_or("") : destination_;
  LogFileOperation(context_,
                   {"File write", path, user_.name, output_ ? output_->size() : 0, status});
  output_.reset();
  return RenderFileError(status, message);
}

http::Response Upload::Fail(const FileError& file_error) {
  http::Response response = RenderFileError(file_error);
  Fail(response.status, file_error.message);
  return response;
}

std::optional<http::Response> Upload::Begin(const std::string& path) {
  destination_ = path;
  FileResult<AtomicFile> opened = AtomicFile::Open(user_, Rights::kRoot, path);
  if (!opened) return Fail(opened.error());
  output_.emplace(*std::move(opened));
  return std::nullopt;
}

Task<std::optional<http::Response>> Upload::End() {
  FileResult<void> committed = co_await output_->Commit(metadata_);
  if (!committed) co_return Fail(committed.error());
  LogFileOperation(context_, {"File write", destination_, user_.name, output_->size()});
  output_.reset();
  entries_.push_back(RenderUploaded(destination_, user_));
  written_.insert(destination_);
  co_return std::nullopt;
}

Task<http::Response> Upload::Raw() {
  if (!path_) co_return Fail(400, "path query parameter is required for raw body upload");
  FileResult<std::string> path = ResolveGivenPath(context_, user_, *path_);
  if (!path) co_return Fail(path.error());
  if (std::optional<http::Response> refusal = Begin(*path)) co_return *std::move(refusal);
  for (;;) {
    Result<std::string> piece = co_await body_.Next();
    if (!piece) co_return Fail(StatusOfBodyError(piece.error()), piece.error().message);
    if (piece->empty()) break;
    FileResult<void> written = output_->Write(*piece);
    if (!written) co_return Fail(written.error());
  }
  std::optional<http::Response> refusal = co_await End();
  if (refusal) co_return *std::move(refusal);
  co_return http::Json(200, WriteJson(entries_));
}

FileResult<std::string> Upload::DestinationOf(const MultipartParser& parser) {
  if (!path_ && (!parser.filename() || parser.filename()->empty())) {
    return FailFileWith(EINVAL,
                        "error getting multipart custom part file name: the part has no filename,"
                        " and the request no path");
  }
  FileResult<std::string> path =
      ResolveGivenPath(context_, user_, path_ ? *path_ : *parser.filename());
  if (!path || written_.count(*path) == 0) return path;
  std::string message = "you cannot upload multiple files to the same path '" + *path +
                        "' in one upload request, only the first specified file was uploaded";
  return FailFileWith(EINVAL, std::move(message));
}

Task<std::optional<http::Response>> Upload::Part(MultipartParser& parser,
                                                 MultipartParser::Step step) {
  using Step = MultipartParser::Step;
  if (step == Step::kBegin && parser.name() == "file") {
    FileResult<std::string> path = DestinationOf(parser);
    if (!path) co_return Fail(path.error());
    co_return Begin(*path);
  }
  if (!output_) co_return std::nullopt;  // a part that is no file
  if (step == Step::kData) {
    FileResult<void> written = output_->Write(parser.data());
    if (!written) co_return Fail(written.error());
  }
  if (step == Step::kEnd) {
    std::optional<http::Response> refusal = co_await End();
    co_return refusal;
  }
  co_return std::nullopt;
}

Task<std::optional<http::Response>> Upload::FeedMore(MultipartParser& parser) {
  Result<std::string> piece = co_await body_.Next();
  if (!piece) co_return Fail(StatusOfBodyError(piece.error()), piece.error().message);
  if (piece->empty()) parser.Finish();
  parser.Feed(*piece);
  co_return std::nullopt;
}

Task<http::Response> Upload::Form(std::string boundary) {
  using Step = MultipartParser::Step;
  MultipartParser parser(boundary);
  for (;;) {
    Step step = parser.Next();
    if (step == Step::kDone) break;
    if (step == Step::kBroken) co_return Fail(400, "error reading form: " + parser.error());
    std::optional<http::Response> refusal;
    if (step == Step::kMore) {
      refusal = co_await FeedMore(parser);
    } else {
      refusal = co_await Part(parser, step);
    }
    if (refusal) co_return *std::move(refusal);
  }
  co_return http::Json(200, WriteJson(entries_));
}

Task<http::Response> ReceiveUpload(Context& context, http::Request& request) {
  if (auto refusal = RefuseAccess(context, request, FileAccess::kWrite, NowMs() / 1000)) {
    co_return RenderFileError(refusal->status, refusal->message);
  }
  FileResult<UploadBody> body = UploadBody::Open(request);
  if (!body) co_return RenderFileError(body.error());
  FileResult<User> user = UserOfFile(context, request.Query("username").value_or(""));
  if (!user) co_return RenderFileError(401, user.error().message);
  FileResult<Metadata> metadata = MetadataOfHeaders(request.headers);
  if (!metadata) co_return RenderFileError(metadata.error());

  std::string content_type(request.headers.Get("content-type"));
  std::optional<MediaType> media = ParseMediaType(content_type);
  Upload upload(context, request, *std::move(user), *std::move(metadata), *std::move(body));
  if (media && media->type == "application/octet-stream") {
    http::Response response = co_await upload.Raw();
    co_return response;
  }
  if (!media || !media->type.starts_with("multipart/")) {
    co_return RenderFileError(400,
                              "unsupported content type: " + content_type +
                                  ", expected multipart/form-data or application/octet-stream");
  }
  std::optional<std::string> boundary = BoundaryOf(content_type);
  if (!boundary) {
    co_return RenderFileError(400,
                              "error parsing multipart form: no multipart boundary param in"
                              " Content-Type");
  }
  http::Response response = co_await upload.Form(*std::move(boundary));
  co_return response;
}

}  // namespace

Task<http::Response> UploadFiles(Context& context, http::Request& request) {
  http::Response response = co_await ReceiveUpload(context, request);
  co_await SkipRest(request);
  co_return response;
}

}  // namespace viv::agent
