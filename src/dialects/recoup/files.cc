#include <algorithm>
#include <array>
#include <set>

#include "base/base64.h"
#include "base/text.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/download.h"
#include "dialects/recoup/errors.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kFilesMax = 100;
constexpr std::size_t kFilesBytesMax = 64 << 20;  // of one request, together
constexpr std::size_t kPathBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = 10'000;

// What is sent as base64 whatever is in it.
constexpr auto kBinaryEndings = std::to_array<std::string_view>(
    {"png", "jpg",  "jpeg", "gif", "webp", "bmp", "ico",  "tif",  "tiff", "avif", "heic", "svg",
     "pdf", "zip",  "gz",   "tgz", "bz2",  "xz",  "7z",   "rar",  "tar",  "jar",  "mp3",  "wav",
     "ogg", "flac", "m4a",  "aac", "mp4",  "m4v", "mov",  "avi",  "webm", "mkv",  "woff", "woff2",
     "ttf", "otf",  "eot",  "exe", "dll",  "so",  "wasm", "docx", "xlsx"});

bool HasBinaryEnding(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string ending = ToLower(path.substr(dot + 1));
  return std::find(kBinaryEndings.begin(), kBinaryEndings.end(), ending) != kBinaryEndings.end();
}

// A file's place within a repository, which cannot lead out of it or into git's own files.
bool IsRepositoryPath(std::string_view path) {
  if (path.empty() || path.size() > kPathBytesMax || !IsValidUtf8(path)) return false;
  if (std::any_of(path.begin(), path.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return false;
  for (std::string_view step : Split(path, '/'))
    if (step.empty() || step == "." || step == ".." || EqualsIgnoreCase(step, ".git")) return false;
  return true;
}

// The account whose repository here is the given account's; 404 when it has none.
Result<std::string> RepositoryOwnerOf(const Context& context,
                                      const http::Request& request,
                                      const std::string& account_id) {
  const std::string origin = OriginOf(context, request);
  std::optional<std::string> url = RepositoryUrlOf(context, origin, account_id);
  if (!url)
    return Fail(ErrorCode::kNotFound,
                "No GitHub repository found for this account: POST /api/sandboxes/setup makes one");
  std::optional<std::string> owner = OwnerOfRepository(context, origin, account_id, *url);
  if (!owner)
    return Fail(ErrorCode::kNotFound,
                "The account's repository is kept elsewhere, at " + *url + ": read it there");
  return *owner;
}

struct WantedFile {
  std::string url;
  std::string name;
};

struct UploadRequest {
  std::optional<std::string> account_uuid;
  std::vector<WantedFile> files;
  std::string folder;
  std::string message = "Upload files via API";
};

std::string_view WithoutSlashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool IsUploadUrl(std::string_view url) {
  return IsUrl(url) || EqualsIgnoreCase(url.substr(0, 5), "data:");
}

Result<UploadRequest> ReadUploadFiles(BodyFields& fields, UploadRequest read, http::Response& no) {
  const json::array* files = fields.Array("files");
  if (fields.ok() && (files == nullptr || files->empty() || files->size() > kFilesMax))
    fields.Refuse("files", "a list of 1 to 100 files is expected");
  if (!fields.ok()) {
    no = fields.failure();
    return Fail(ErrorCode::kInvalidArgument, "files");
  }
  for (std::size_t i = 0; i < files->size(); ++i) {
    BodyFields file((*files)[i], "files." + std::to_string(i));
    std::optional<std::string> url = file.Text("url");
    std::optional<std::string> name = file.Text("name");
    if (file.ok() && (!url || !IsUploadUrl(*url))) file.Refuse("url", "a URL is expected");
    if (file.ok() && !name) file.Refuse("name", "text is expected");
    if (!file.ok()) {
      no = file.failure();
      return Fail(ErrorCode::kInvalidArgument, "files");
    }
    read.files.push_back({std::move(*url), std::move(*name)});
  }
  return read;
}

Result<UploadRequest> ReadUploadBody(const http::Request& request, http::Response& no) {
  if (!ParseJson(request.body)) {
    no = InvalidField("", "Invalid JSON body");
    return Fail(ErrorCode::kInvalidArgument, "body");
  }
  BodyFields fields(request);
  UploadRequest read;
  read.account_uuid = fields.MaybeEmptyText("account_id");
  std::optional<std::string> folder = fields.MaybeEmptyText("path");
  std::optional<std::string> message = fields.MaybeEmptyText("message");
  if (message && message->size() > kMessageBytesMax)
    fields.Refuse("message", "at most 10,000 bytes are expected");
  if (folder) read.folder = WithoutSlashes(*folder);
  if (message && !Trim(*message).empty()) read.message = std::move(*message);
  return ReadUploadFiles(fields, std::move(read), no);
}

struct Fetched {
  std::vector<git::Repositories::NewFile> files;
  json::array errors;
};

// One after the other: the limit is for all of them together.
Task<Fetched> FetchAll(Context& context, UploadRequest request) {
  Fetched fetched;
  std::set<std::string> paths;
  std::size_t left = kFilesBytesMax;
  for (WantedFile& file : request.files) {
    std::string path(WithoutSlashes(file.name));
    if (!request.folder.empty()) path.insert(0, request.folder + "/");
    std::string shown = Printable(file.name) + ": ";
    if (!IsRepositoryPath(path)) {
      fetched.errors.emplace_back(shown + "not a path within a repository");
      continue;
    }
    if (!paths.insert(path).second) {
      fetched.errors.emplace_back(shown + "given twice");
      continue;
    }
    DownloadOptions options;
    options.bytes_max = std::min(options.bytes_max, left);
    options.dial_guard = context.dial_guard;
    options.tls = context.tls;
    auto bytes = co_await Download(std::move(file.url), std::move(options));
    if (!bytes) {
      fetched.errors.emplace_back(shown + Printable(bytes.error().message, 1024));
      continue;
    }
    left -= bytes->size();
    fetched.files.push_back({std::move(path), std::move(*bytes)});
  }
  co_return fetched;
}

http::Response ShowNothingUploaded(const json::array& errors) {
  json::object body{{"status", "error"}, {"error", "Failed to upload files"}, {"errors", errors}};
  return http::Json(500, WriteJson(body));
}

}  // namespace

Task<http::Response> ReadRepositoryFile(Context& context, http::Request& request) {
  auto account_id = AccountOfQuery(context, request);
  if (!account_id) co_return AccountFailure(account_id.error());
  std::string path(WithoutSlashes(request.Query("path").value_or("")));
  if (path.empty()) co_return InvalidField("path", "path: the path of a file is expected");
  if (!IsRepositoryPath(path))
    co_return InvalidField("path", "path: a path within the repository is expected");
  auto owner = RepositoryOwnerOf(context, request, *account_id);
  if (!owner) co_return FailureOf(owner.error());
  auto content = co_await context.repositories.ReadFile(*owner, path);
  if (!content && content.error().code == ErrorCode::kNotFound)
    co_return Failure(404, "File not found: " + path);
  if (!content) co_return FailureOf(content.error());
  json::object body{{"status", "success"}};
  if (HasBinaryEnding(path) || !IsValidUtf8(*content)) {
    body["content"] = EncodeBase64(*content);
    body["encoding"] = "base64";
  } else {
    body["content"] = *content;
  }
  co_return http::Json(200, WriteJson(body));
}

Task<http::Response> UploadRepositoryFiles(Context& context, http::Request& request) {
  http::Response refusal;
  auto read = ReadUploadBody(request, refusal);
  if (!read) co_return refusal;
  auto account_id = AccountOf(context, request, read->account_uuid);
  if (!account_id) co_return AccountFailure(account_id.error());
  auto owner = RepositoryOwnerOf(context, request, *account_id);
  if (!owner) co_return FailureOf(owner.error());

  std::string message = read->message;
  Fetched fetched = co_await FetchAll(context, *std::move(read));
  if (fetched.files.empty()) co_return ShowNothingUploaded(fetched.errors);
  std::vector<std::string> paths;
  for (const auto& file : fetched.files) paths.push_back(file.path);
  auto shas =
      co_await context.repositories.Commit(*owner, std::move(fetched.files), std::move(message));
  if (!shas) co_return Failure(500, "Failed to commit the files: " + shas.error().message);
  json::array uploaded;
  for (std::size_t i = 0; i < paths.size() && i < shas->size(); ++i)
    uploaded.push_back(json::object{{"path", paths[i]}, {"sha", (*shas)[i]}});
  json::object body{{"status", "success"}, {"uploaded", std::move(uploaded)}};
  if (!fetched.errors.empty()) body["errors"] = std::move(fetched.errors);
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::recoup
