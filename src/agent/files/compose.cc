#include "agent/files/compose.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "agent/files/acting_as.h"
#include "agent/files/draft.h"
#include "agent/files/paths.h"
#include "agent/files/rest.h"
#include "agent/files/upload_body.h"

namespace viv::agent {
namespace {

constexpr std::size_t kComposeBodyBytesMax = 8 * 1024 * 1024;
constexpr std::size_t kComposeSourcesMax = 10'000;

struct ComposeOrder {
  User user;
  std::vector<std::string> given;    // the sources as named
  std::vector<std::string> sources;  // resolved
  std::string destination;
};

Outcome<ComposeOrder> ReadComposeOrder(const Context& context, const json::value& body) {
  ComposeOrder order;
  const json::value* sources = Find(body, "source_paths");
  if (sources == nullptr || !sources->is_array() || sources->get_array().empty()) {
    return Refused(EINVAL, "source_paths must not be empty");
  }
  if (sources->get_array().size() > kComposeSourcesMax) {
    return Refused(EINVAL, "source_paths has more than 10000 entries");
  }
  for (const json::value& source : sources->get_array()) {
    if (!source.is_string()) {
      return Refused(EINVAL, "invalid request body: source_paths must be strings");
    }
    order.given.emplace_back(View(source.get_string()));
  }
  std::string_view destination = FindString(body, "destination");
  if (destination.empty()) return Refused(EINVAL, "destination is required");

  Outcome<User> user = UserOfFile(context, FindString(body, "username"));
  if (!user) return tl::unexpected<Trouble>(user.error());
  order.user = *std::move(user);
  Outcome<std::string> resolved = ResolveGivenPath(context, order.user, destination);
  if (!resolved) return tl::unexpected<Trouble>(resolved.error());
  order.destination = *std::move(resolved);
  for (const std::string& given : order.given) {
    Outcome<std::string> source = ResolveGivenPath(context, order.user, given);
    if (!source) return tl::unexpected<Trouble>(source.error());
    if (*source == order.destination) {
      return Refused(EINVAL, "source path \"" + given + "\" cannot be the same as destination");
    }
    order.sources.push_back(*std::move(source));
  }
  return order;
}

// To be called as the user.
Outcome<UniqueFd> OpenSource(const std::string& path, const std::string& given) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return Refused(ENOENT, "source file not found: " + given);
  if (!S_ISREG(info.st_mode)) {
    return Refused(EINVAL, "source path is not a regular file: " + given);
  }
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return Failed(errno, "error opening source file " + path);
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return Refused(EINVAL, "source path is not a regular file: " + given);
  }
  return file;
}

// All are looked at before anything is written.
Outcome<void> CheckSources(const ComposeOrder& order) {
  return OnBehalfOf(order.user, [&]() -> Outcome<void> {
    for (std::size_t at = 0; at < order.sources.size(); ++at) {
      Outcome<UniqueFd> file = OpenSource(order.sources[at], order.given[at]);
      if (!file) return tl::unexpected<Trouble>(file.error());
    }
    return {};
  });
}

Task<Outcome<std::uint64_t>> Assemble(const ComposeOrder& order) {
  Outcome<Draft> draft = Draft::Open(order.user, Rights::kRoot, order.destination);
  if (!draft) co_return tl::unexpected<Trouble>(draft.error());
  for (std::size_t at = 0; at < order.sources.size(); ++at) {
    Outcome<UniqueFd> file =
        OnBehalfOf(order.user, [&] { return OpenSource(order.sources[at], order.given[at]); });
    if (!file) co_return tl::unexpected<Trouble>(file.error());
    Outcome<void> copied = co_await draft->CopyFrom(file->get());
    if (!copied) co_return tl::unexpected<Trouble>(copied.error());
  }
  Outcome<void> committed = co_await draft->Commit(Metadata());
  if (!committed) co_return tl::unexpected<Trouble>(committed.error());
  co_return draft->size();
}

void RemoveSources(const ComposeOrder& order) {
  Sys<void> removed = OnBehalfOf(order.user, [&]() -> Sys<void> {
    for (const std::string& source : order.sources) static_cast<void>(::unlink(source.c_str()));
    return {};
  });
  static_cast<void>(removed);  // one that stays does no harm
}

Task<Result<std::string>> ReadComposeBody(http::Request& request) {
  Outcome<UploadBody> body = UploadBody::Open(request);
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
  Outcome<ComposeOrder> order = ReadComposeOrder(context, *body);
  if (!order && order.error().code == EACCES) co_return RenderFileError(401, order.error().message);
  if (!order) co_return RenderTrouble(order.error());
  Outcome<void> checked = CheckSources(*order);
  if (!checked) co_return RenderTrouble(checked.error());

  Outcome<std::uint64_t> size = co_await Assemble(*order);
  if (!size) {
    http::Response response = RenderTrouble(size.error());
    FileDeed deed{"File compose", order->destination, order->user.name, 0, response.status};
    LogFileDeed(context, deed);
    co_return response;
  }
  RemoveSources(*order);
  FileDeed deed{"File compose", order->destination, order->user.name, *size};
  LogFileDeed(context, deed);
  co_return http::Json(200, WriteJson(RenderUploaded(order->destination, order->user)));
}

}  // namespace viv::agent
