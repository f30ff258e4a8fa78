#include "agent/files/compose.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "agent/files/atomic_file.h"
#include "agent/files/endpoint.h"
#include "agent/files/fs_user.h"
#include "agent/files/paths.h"
#include "agent/files/upload_body.h"

namespace viv::agent {
namespace {

constexpr std::size_t kComposeBodyBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kComposeSourcesMax = 10'000;

struct ComposeRequest {
  User user;
  std::vector<std::string> given;    // the sources as named
  std::vector<std::string> sources;  // resolved
  std::string destination;
};

FileResult<ComposeRequest> ReadComposeRequest(const Context& context, const json::value& body) {
  ComposeRequest wanted;
  const json::value* sources = Find(body, "source_paths");
  if (sources == nullptr || !sources->is_array() || sources->get_array().empty()) {
    return FailFileWith(EINVAL, "source_paths must not be empty");
  }
  if (sources->get_array().size() > kComposeSourcesMax) {
    return FailFileWith(EINVAL, "source_paths has more than 10000 entries");
  }
  for (const json::value& source : sources->get_array()) {
    if (!source.is_string()) {
      return FailFileWith(EINVAL, "invalid request body: source_paths must be strings");
    }
    wanted.given.emplace_back(View(source.get_string()));
  }
  std::string_view destination = FindString(body, "destination");
  if (destination.empty()) return FailFileWith(EINVAL, "destination is required");

  FileResult<User> user = UserOfFile(context, FindString(body, "username"));
  if (!user) return tl::unexpected<FileError>(user.error());
  wanted.user = *std::move(user);
  FileResult<std::string> resolved = ResolveGivenPath(context, wanted.user, destination);
  if (!resolved) return tl::unexpected<FileError>(resolved.error());
  wanted.destination = *std::move(resolved);
  for (const std::string& given : wanted.given) {
    FileResult<std::string> source = ResolveGivenPath(context, wanted.user, given);
    if (!source) return tl::unexpected<FileError>(source.error());
    if (*source == wanted.destination) {
      return FailFileWith(EINVAL,
                          "source path \"" + given + "\" cannot be the same as destination");
    }
    wanted.sources.push_back(*std::move(source));
  }
  return wanted;
}

// To be called as the user.
FileResult<UniqueFd> OpenSource(const std::string& path, const std::string& given) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return FailFileWith(ENOENT, "source file not found: " + given);
  if (!S_ISREG(info.st_mode)) {
    return FailFileWith(EINVAL, "source path is not a regular file: " + given);
  }
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return FailFile(errno, "error opening source file " + path);
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return FailFileWith(EINVAL, "source path is not a regular file: " + given);
  }
  return file;
}

// All are looked at before anything is written.
FileResult<void> CheckSources(const ComposeRequest& wanted) {
  return RunAsUserWithRootCapabilities(wanted.user, [&]() -> FileResult<void> {
    for (std::size_t at = 0; at < wanted.sources.size(); ++at) {
      FileResult<UniqueFd> file = OpenSource(wanted.sources[at], wanted.given[at]);
      if (!file) return tl::unexpected<FileError>(file.error());
    }
    return {};
  });
}

Task<FileResult<std::uint64_t>> Assemble(const ComposeRequest& wanted) {
  FileResult<AtomicFile> output = AtomicFile::Open(wanted.user, Rights::kRoot, wanted.destination);
  if (!output) co_return tl::unexpected<FileError>(output.error());
  for (std::size_t at = 0; at < wanted.sources.size(); ++at) {
    FileResult<UniqueFd> file = RunAsUserWithRootCapabilities(
        wanted.user, [&] { return OpenSource(wanted.sources[at], wanted.given[at]); });
    if (!file) co_return tl::unexpected<FileError>(file.error());
    FileResult<void> copied = co_await output->CopyFrom(file->get());
    if (!copied) co_return tl::unexpected<FileError>(copied.error());
  }
  FileResult<void> committed = co_await output->Commit(Metadata());
  if (!committed) co_return tl::unexpected<FileError>(committed.error());
  co_return output->size();
}

void RemoveSources(const ComposeRequest& wanted) {
  ErrnoOr<void> removed = RunAsUserWithRootCapabilities(wanted.user, [&]() -> ErrnoOr<void> {
    for (const std::string& source : wanted.sources) static_cast<void>(::unlink(source.c_str()));
    return {};
  });
  static_cast<void>(removed);  // one that stays does no harm
}

Task<Result<std::string>> ReadComposeBody(http::Request& request) {
  FileResult<UploadBody> body = UploadBody::Open(request);
  if (!body) co_return Fail(ErrorCode::kInvalidArgument, body.error().message);
  std::string text;
  for (;;) {
    Result<std::string> piece = co_await body->Next();
    if (!piece) co_return piece;
    if (piece->empty()) co_return text;
    text += *piece;
    if (text.size() > kComposeBodyBytesMax) {
      co_return Fail(ErrorCode::kLimitExceeded, "it is larger than 8 MiB");
    }
  }
}

}  // namespace

Task<http::Response> ComposeFiles(Context& context, http::Request& request) {
  Result<std::string> text = co_await ReadComposeBody(request);
  if (!text) co_return RenderFileError(400, "invalid request body: " + text.error().message);
  Result<json::value> body = ParseJson(*text);
  if (!body) co_return RenderFileError(400, "invalid request body: " + body.error().message);
  FileResult<ComposeRequest> wanted = ReadComposeRequest(context, *body);
  if (!wanted && wanted.error().code == EACCES)
    co_return RenderFileError(401, wanted.error().message);
  if (!wanted) co_return RenderFileError(wanted.error());
  FileResult<void> checked = CheckSources(*wanted);
  if (!checked) co_return RenderFileError(checked.error());

  FileResult<std::uint64_t> size = co_await Assemble(*wanted);
  if (!size) {
    http::Response response = RenderFileError(size.error());
    FileOperation operation{"File compose", wanted->destination, wanted->user.name, 0,
                            response.status};
    LogFileOperation(context, operation);
    co_return response;
  }
  RemoveSources(*wanted);
  FileOperation operation{"File compose", wanted->destination, wanted->user.name, *size};
  LogFileOperation(context, operation);
  co_return http::Json(200, WriteJson(RenderUploaded(wanted->destination, wanted->user)));
}

}  // namespace viv::agent
