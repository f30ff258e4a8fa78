// Git's smart HTTP over a repository. git speaks the protocol itself; here its request is fed to it
// while its response streams out, because each may wait for the other.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "base/text.h"
#include "git/git_body.h"
#include "git/git_child.h"
#include "git/git_process.h"
#include "git/git_service.h"
#include "git/repositories.h"
#include "git/repository_concurrency.h"
#include "http/operation_counter.h"

namespace viv::git {

// Shared between the response and what feeds git, of which one may outlive the other by a moment.
struct GitExchange {
  GitExchange(asio::any_io_executor executor, std::string of, GitService what)
      : account_id(std::move(of)), service(std::move(what)), feeding(std::move(executor)) {}

  const std::string account_id;
  const GitService service;
  GitSlots::Slot slot;
  PushReservations::Reservation reservation;  // of a push
  std::unique_ptr<GitProcess> process;
  std::optional<GitBody> body;   // nothing when git is asked nothing
  std::optional<Error> failure;  // of the body
  std::string first;             // of the response
  http::OperationCounter feeding;
  bool over = false;  // the request must not be touched any more

  void End() {
    over = true;
    process->Kill();
  }
};

namespace {

constexpr std::int64_t kPackBytesMax = std::int64_t{1} << 30;
constexpr std::uint64_t kPushBytesMax = kPackBytesMax + (1 << 20);
constexpr std::uint64_t kFetchRequestBytesMax = 64 << 20;  // what a fetching client has and wants
constexpr std::chrono::seconds kServiceDeadline{1800};

// When git has closed its input, the rest of the body is read and dropped: the client reads the
// response only after it has sent everything.
Task<void> FeedGit(std::shared_ptr<GitExchange> exchange,
                   std::unique_ptr<http::OperationCounter::Entry> entry) {
  bool listening = true;
  for (;;) {
    Result<std::string> piece = co_await exchange->body->Next();
    if (exchange->over) break;
    if (!piece) {
      exchange->failure = std::move(piece).error();
      exchange->process->Kill();
      break;
    }
    if (piece->empty()) {
      exchange->process->CloseInput();
      break;
    }
    if (!listening) continue;
    std::string bytes = *std::move(piece);
    Status written = co_await exchange->process->Write(std::move(bytes));
    if (exchange->over) break;
    listening = written.has_value();
  }
  entry.reset();
}

// How large the pack of a push can be, as far as its head tells.
std::int64_t PackBytesOf(const http::Request& request) {
  const std::string_view text = request.headers.Get("content-length");
  std::int64_t length = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), length);
  const bool known =
      read.ec == std::errc() && length > 0 && !request.headers.Has("content-encoding");
  return known ? std::min(length, kPackBytesMax) : kPackBytesMax;
}

void LogGit(const GitExchange& exchange, int code) {
  log::Info("repository.service_failed", {{"account", exchange.account_id},
                                          {"service", exchange.service.name},
                                          {"code", code},
                                          {"said", Printable(exchange.process->error_output())}});
}

}  // namespace

Task<Status> Repositories::Begin(GitExchange& exchange, http::Request& request) {
  const GitService& service = exchange.service;
  if (!service.advertises) {
    ASSIGN_OR_CO_RETURN(
        exchange.body,
        GitBody::Open(request, service.receives() ? kPushBytesMax : kFetchRequestBytesMax));
  }
  GitCommand git;
  if (service.receives()) {
    // A full repository refuses the advertisement already, because git shows the reason only there.
    ASSIGN_OR_CO_RETURN(const std::int64_t room, co_await BytesLeft(exchange.account_id));
    if (!service.advertises) {
      const std::int64_t most = PackBytesOf(request);
      ASSIGN_OR_CO_RETURN(exchange.reservation,
                          concurrency_->reservations.Make(exchange.account_id, room, most));
      git.arguments = {"-c",
                       "receive.maxInputSize=" + std::to_string(exchange.reservation.bytes())};
    }
  }
  ASSIGN_OR_CO_RETURN(exchange.slot, concurrency_->slots.Take(exchange.account_id));
  git.folder = FolderOf(exchange.account_id);
  git.arguments.insert(git.arguments.end(), {service.name, "--stateless-rpc"});
  if (service.advertises) git.arguments.emplace_back("--advertise-refs");
  git.arguments.push_back(GitMountPointOf(git.folder));
  if (!service.protocol.empty()) git.environment = {"GIT_PROTOCOL=" + service.protocol};
  git.deadline = kServiceDeadline;
  ASSIGN_OR_CO_RETURN(exchange.process, co_await GitProcess::Start(pool_, std::move(git)));
  co_return Status();
}

Task<http::Response> Repositories::Serve(std::string account_id,
                                         std::string rest,
                                         http::Request& request) {
  auto service = GitServiceOf(request, rest);
  if (!service) co_return GitFailure(service.error());
  auto executor = co_await asio::this_coro::executor;
  if (!Has(account_id)) co_return GitFailure({ErrorCode::kNotFound, "there is no repository"});
  auto exchange =
      std::make_shared<GitExchange>(executor, std::move(account_id), *std::move(service));
  Status begun = co_await Begin(*exchange, request);
  if (!begun) co_return GitFailure(begun.error());
  if (exchange->body) {
    auto entry = std::make_unique<http::OperationCounter::Entry>(exchange->feeding);
    auto on_end = [](std::exception_ptr failure) {
      if (failure) log::Debug("repository.feed_cancelled");
    };
    asio::co_spawn(executor, FeedGit(exchange, std::move(entry)), on_end);
  } else {
    exchange->process->CloseInput();
  }
  co_return co_await Respond(std::move(exchange));
}

// The response's head is sent with git's first output: until then a failure can still be sent as an
// error.
Task<http::Response> Repositories::Respond(std::shared_ptr<GitExchange> exchange) {
  Result<std::string> first = co_await exchange->process->Read();
  if (!first || first->empty()) {
    Result<int> code = co_await exchange->process->Wait();
    if (exchange->failure || !code || *code != 0) {
      exchange->over = true;
      LogGit(*exchange, code.value_or(-1));
      if (exchange->failure) co_return GitFailure(*exchange->failure);
      Error failed = code ? Error{ErrorCode::kInternal, "git failed"} : code.error();
      co_return GitFailure(failed);
    }
  }
  exchange->first = exchange->service.Prologue() + first.value_or("");
  http::Response response = GitResponse(exchange->service);
  response.stream = [this, exchange](http::BodyWriter& writer) { return Stream(exchange, writer); };
  co_return response;
}

Task<void> Repositories::Stream(std::shared_ptr<GitExchange> exchange, http::BodyWriter& writer) {
  struct AtEnd {
    GitExchange& exchange;
    ~AtEnd() { exchange.End(); }
  } at_end{*exchange};
  std::string piece = std::move(exchange->first);
  while (!piece.empty()) {
    Status written = co_await writer.Write(std::move(piece));
    if (!written) co_return;
    Result<std::string> next = co_await exchange->process->Read();
    if (!next) co_return writer.Abort();
    piece = *std::move(next);
  }
  Result<int> code = co_await exchange->process->Wait();
  if (!code || exchange->failure) co_return writer.Abort();
  // The protocol says itself what failed, so the response ends properly.
  if (*code != 0) LogGit(*exchange, *code);
  exchange->slot = GitSlots::Slot();
  exchange->reservation = PushReservations::Reservation();
  if (exchange->service.receives() && !exchange->service.advertises) {
    Status followed = co_await UpdateHead(exchange->account_id);
    if (!followed)
      log::Warn("repository.no_default_branch",
                {{"account", exchange->account_id}, {"error", followed.error().message}});
  }
  co_await exchange->feeding.WaitUntilIdle();
}

}  // namespace viv::git
