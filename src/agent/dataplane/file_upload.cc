#include "agent/dataplane/file_upload.h"

#include <optional>
#include <string>

#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/file_requests.h"
#include "agent/files/atomic_file.h"
#include "agent/files/endpoint.h"
#include "agent/files/multipart.h"
#include "agent/files/paths.h"
#include "agent/files/upload_body.h"
#include "base/json.h"

namespace viv::agent {
namespace {

// One request. The file takes its place only when the whole form has been read: whatever breaks
// off before leaves the old one.
class DataPlaneUpload {
 public:
  DataPlaneUpload(User user, std::string path, UploadBody body)
      : user_(std::move(user)), path_(std::move(path)), body_(std::move(body)) {}

  Task<http::Response> Run(std::string boundary);
  std::uint64_t written() const { return written_; }

 private:
  // Nothing when it went well.
  std::optional<http::Response> TakePart(MultipartParser& parser, MultipartParser::Step step);
  std::optional<http::Response> BeginFile();
  Task<std::optional<http::Response>> FeedForm(MultipartParser& parser);
  Task<http::Response> Commit();

  User user_;
  std::string path_;
  UploadBody body_;
  bool in_file_ = false;
  std::uint64_t written_ = 0;
  std::optional<AtomicFile> output_;
};

http::Response RenderBrokenUpload(const Error& error) {
  int status = error.code == ErrorCode::kLimitExceeded ? 413 : 400;
  return DataPlaneError(status, "WriteError", "the upload is incomplete: " + error.message);
}

std::optional<http::Response> DataPlaneUpload::BeginFile() {
  if (output_) return RenderBadFileRequest("the form has more than one part named \"file\"");
  FileResult<AtomicFile> opened = AtomicFile::Open(user_, Rights::kOwn, path_);
  if (!opened) return RenderDataPlaneFileError(FileUse::kWrite, opened.error());
  output_.emplace(*std::move(opened));
  in_file_ = true;
  return std::nullopt;
}

std::optional<http::Response> DataPlaneUpload::TakePart(MultipartParser& parser,
                                                        MultipartParser::Step step) {
  using Step = MultipartParser::Step;
  if (step == Step::kBegin && parser.name() == "file") return BeginFile();
  if (!in_file_) return std::nullopt;  // a part with another name is ignored
  if (step == Step::kEnd) in_file_ = false;
  if (step != Step::kData) return std::nullopt;
  FileResult<void> done = output_->Write(parser.data());
  if (!done) return RenderDataPlaneFileError(FileUse::kWrite, done.error());
  return std::nullopt;
}

Task<std::optional<http::Response>> DataPlaneUpload::FeedForm(MultipartParser& parser) {
  Result<std::string> piece = co_await body_.Next();
  if (!piece) co_return RenderBrokenUpload(piece.error());
  if (piece->empty()) parser.Finish();
  parser.Feed(*piece);
  co_return std::nullopt;
}

Task<http::Response> DataPlaneUpload::Commit() {
  if (!output_) co_return RenderBadFileRequest("the form has no part named \"file\"");
  Metadata none;
  FileResult<void> committed = co_await output_->Commit(std::move(none));
  if (!committed) co_return RenderDataPlaneFileError(FileUse::kWrite, committed.error());
  written_ = output_->size();
  json::object answer{{"path", ValidUtf8(path_)}, {"written", written_}};
  co_return http::Json(200, WriteJson(answer));
}

Task<http::Response> DataPlaneUpload::Run(std::string boundary) {
  using Step = MultipartParser::Step;
  MultipartParser parser(boundary);
  for (;;) {
    Step step = parser.Next();
    if (step == Step::kDone) break;
    if (step == Step::kBroken) {
      co_return DataPlaneError(400, "WriteError", "the upload's form is broken: " + parser.error());
    }
    std::optional<http::Response> refusal;
    if (step == Step::kMore) {
      refusal = co_await FeedForm(parser);
    } else {
      refusal = TakePart(parser, step);
    }
    if (refusal) co_return *std::move(refusal);
  }
  http::Response response = co_await Commit();
  co_return response;
}

Task<http::Response> ReceiveDataPlaneUpload(Context& context, http::Request& request) {
  std::optional<std::string> given = request.Query("path");
  if (!given || given->empty()) {
    co_return RenderBadFileRequest("the query parameter path is missing: ?path=/where/to/write");
  }
  FileResult<User> user = DataPlaneUser(context);
  if (!user) co_return RenderDataPlaneFileError(FileUse::kWrite, user.error());
  FileResult<std::string> path = DataPlanePath(context, *user, *given);
  if (!path) co_return RenderDataPlaneFileError(FileUse::kWrite, path.error());
  std::optional<std::string> boundary = BoundaryOf(request.headers.Get("content-type"));
  if (!boundary) {
    co_return RenderBadFileRequest(
        "the body is no multipart/form-data with a boundary: send the file as its part \"file\"");
  }
  FileResult<UploadBody> body = UploadBody::Open(request);
  if (!body) co_return RenderBadFileRequest(body.error().message);
  DataPlaneUpload upload(*user, *path, *std::move(body));
  http::Response response = co_await upload.Run(*std::move(boundary));
  LogFileOperation(context, {"File write", *path, user->name, upload.written(), response.status});
  co_return response;
}

}  // namespace

Task<http::Response> UploadToDataPlane(Context& context, http::Request& request) {
  http::Response response = co_await ReceiveDataPlaneUpload(context, request);
  co_await SkipRest(request);
  co_return response;
}

}  // namespace viv::agent
