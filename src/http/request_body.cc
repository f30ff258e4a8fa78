#include "http/request_body.h"

#include <utility>

namespace viv::http {
namespace {

constexpr std::size_t kPieceBytesMax = 256 * 1024;
constexpr std::size_t kStreamReadBytes = 128 * 1024;
constexpr std::size_t kLeftoverBytesMax = 256 * 1024;
constexpr std::chrono::milliseconds kLeftoverTime{500};

}  // namespace

RequestBody::RequestBody(Source source, Extent extent)
    : source_(source),
      reads_(source.transport.executor()),
      continue_write_(source.transport.executor()),
      continue_due_(extent == Extent::kFollows && source.parser.wants_continue()),
      complete_(extent == Extent::kEmpty) {}

Task<Result<std::string>> RequestBody::Read() {
  if (closed_) co_return Fail(ErrorCode::kUnavailable, "the request was answered already");
  if (!reads_.idle()) co_return Fail(ErrorCode::kInternal, "two readers of one request body");
  OperationCounter::Entry entry(reads_);
  for (;;) {
    ASSIGN_OR_CO_RETURN(FeedResult fed, Feed());
    if (fed == FeedResult::kEnd) co_return std::string();
    if (fed == FeedResult::kPiece) co_return std::exchange(source_.parser.request().body, {});
    CO_RETURN_IF_ERROR(co_await Receive());
  }
}

// Feeds the parser with what has arrived, up to a piece.
Result<RequestBody::FeedResult> RequestBody::Feed() {
  std::string& body = source_.parser.request().body;
  while (!complete_ && body.empty()) {
    if (failure_) return PassUp(*failure_);
    std::string_view bytes = source_.buffer.data().substr(0, kPieceBytesMax);
    RequestParser::Step step = source_.parser.Feed(bytes);
    source_.buffer.Consume(step.consumed);
    complete_ = step.state == RequestParser::State::kDone;
    if (step.state == RequestParser::State::kBroken) {
      std::string message(source_.parser.error().message);
      return PassUp(Broken(ErrorCode::kInvalidArgument, "request body: " + std::move(message)));
    }
    bool stuck = step.consumed == 0 || source_.buffer.empty();
    if (!complete_ && body.empty() && stuck) return FeedResult::kNeedsMore;
  }
  return body.empty() ? FeedResult::kEnd : FeedResult::kPiece;
}

Task<Status> RequestBody::Receive() {
  if (continue_due_) {
    bool invited = co_await SendContinue();
    if (!invited) {
      co_return PassUp(Broken(ErrorCode::kUnavailable, "request body: the client went away"));
    }
  }
  char* into = source_.buffer.Prepare(kStreamReadBytes);
  source_.transport.ExpireReadAfter(source_.options.body_timeout);
  std::size_t count = co_await source_.transport.Read(into, kStreamReadBytes);
  source_.transport.ExpireReadNever();
  source_.buffer.Commit(count);
  if (count > 0) co_return Status();
  co_return PassUp(Broken(ErrorCode::kUnavailable, source_.transport.expired()
                                                       ? "request body: the client fell silent"
                                                       : "request body: the client went away"));
}

// Sends "100 Continue", but not once the response has begun: a client that still waits sees the
// response instead.
Task<bool> RequestBody::SendContinue() {
  continue_due_ = false;
  if (response_begun_) co_return true;
  Transport::Pieces go_on{"HTTP/1.1 100 Continue\r\n\r\n"};
  std::size_t done = source_.transport.TryWrite(go_on);
  if (done == go_on[0].size()) co_return true;
  OperationCounter::Entry entry(continue_write_);
  co_return co_await source_.transport.Write(go_on, done, source_.options.write_timeout);
}

Task<void> RequestBody::BeginResponse() {
  response_begun_ = true;
  if (reads_.idle()) source_.transport.ExpireReadNever();  // a cancelled one may have left it
  co_await continue_write_.WaitUntilIdle();
}

bool RequestBody::may_keep_alive() const {
  if (complete_) return true;
  if (failure_ || continue_due_) return false;
  return source_.parser.body_bytes_left().value_or(0) <= kLeftoverBytesMax;
}

Task<void> RequestBody::Stop() {
  closed_ = true;
  if (reads_.idle()) co_return;
  source_.transport.Cancel();
  co_await reads_.WaitUntilIdle();
}

Task<bool> RequestBody::Finish() {
  co_await Stop();
  source_.parser.request().body.clear();
  std::size_t taken = 0;
  source_.transport.ExpireReadAfter(kLeftoverTime);
  while (may_keep_alive() && !complete_ && taken <= kLeftoverBytesMax) {
    Result<FeedResult> fed = Feed();
    if (!fed) break;
    taken += std::exchange(source_.parser.request().body, {}).size();
    if (*fed != FeedResult::kNeedsMore) continue;
    char* into = source_.buffer.Prepare(kStreamReadBytes);
    std::size_t count = co_await source_.transport.Read(into, kStreamReadBytes);
    source_.buffer.Commit(count);
    if (count == 0) break;
  }
  source_.transport.ExpireReadNever();
  co_return complete_ && !failure_;
}

Error RequestBody::Broken(ErrorCode code, std::string message) {
  failure_ = Error{code, std::move(message)};
  return *failure_;
}

}  // namespace viv::http
