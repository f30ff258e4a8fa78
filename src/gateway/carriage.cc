#include "gateway/carriage.h"

#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "base/text.h"
#include "gateway/rules/header_check.h"

namespace viv::gateway {
namespace {

constexpr std::size_t kCarriedPieceBytesMax = 64 * 1024;
// About what an origin of HTTP/2 takes in before it says that it takes no more.
constexpr std::size_t kKeptBodyBytesMax = 128 * 1024;
constexpr int kInterimMax = 32;

constexpr auto kTerminal = asio::cancellation_type::terminal;

}  // namespace

std::uint64_t BytesOf(const http::Headers& headers) {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 4;
  return bytes;
}

Carriage::Carriage(asio::any_io_executor executor,
                   std::shared_ptr<Route> of_route,
                   std::shared_ptr<GuestExchange> of_guest)
    : route(std::move(of_route)),
      guest(std::move(of_guest)),
      head(guest->head()),
      executor_(std::move(executor)),
      lane_(executor_) {}

void Carriage::CountOut(std::uint64_t bytes) {
  record.bytes_out += bytes;
  route->Count(bytes, 0);
}

void Carriage::CountIn(std::uint64_t bytes) {
  record.bytes_in += bytes;
  route->Count(0, bytes);
}

void Carriage::GuestLeft() {
  if (std::exchange(guest_left_, true)) return;
  auto self = shared_from_this();  // what ends now may let go of it
  CancelLane();
  if (answer_runs_) cancel_answer_.emit(kTerminal);
}

Task<Status> Carriage::Run(OpenedOrigin opened) {
  auto self = shared_from_this();
  origin_ = std::move(opened.exchange);
  again_ = Again::kNo;
  answer_runs_ = true;
  auto token = asio::bind_cancellation_slot(cancel_answer_.slot(), asio::use_awaitable);
  Status done = co_await asio::co_spawn(executor_, RunAnswerLane(self), token);
  answer_runs_ = false;
  // What has arrived whole may be on its last steps.
  if (done && body_read && !lane_.idle()) co_await asio::post(executor_, asio::use_awaitable);
  co_await EndLane();
  if (!done) again_ = JudgeFailure();
  if (again_ != Again::kNo) body_begin.insert(0, std::exchange(kept_, {}));
  origin_.reset();
  co_return done;
}

// What certainly nobody worked on is sent again whatever it is, if all of it is still here.
Carriage::Again Carriage::JudgeFailure() const {
  OriginExchange::Fate fate = origin_->fate();
  if (fate == OriginExchange::Fate::kUntouched && keeps_) return Again::kAnywhere;
  bool lost = fate == OriginExchange::Fate::kMayBeLost && !body_started_ && IsIdempotent();
  return lost ? Again::kFresh : Again::kNo;
}

void Carriage::Keep(std::string_view piece) {
  if (!keeps_ || kept_.size() + piece.size() > kKeptBodyBytesMax) return KeepNoMore();
  kept_ += piece;
}

void Carriage::KeepNoMore() {
  keeps_ = false;
  kept_ = std::string();
}

// The lanes' own hold on the carriage: they may be the last when a whole loop is dropped. A
// cancelled lane throws, and whoever waits for it has to go on.
Task<Status> Carriage::RunAnswerLane(std::shared_ptr<Carriage> self) {
  Status done = Fail(ErrorCode::kUnavailable, "it was broken off");
  try {
    done = co_await self->AnswerLane();
  } catch (const boost::system::system_error&) {
  }
  co_await asio::this_coro::throw_if_cancelled(false);  // co_spawn has a wait of its own to come
  co_return done;
}

void Carriage::CancelLane() {
  if (lane_.idle()) return;
  lane_cancelled_ = true;
  cancel_request_.emit(kTerminal);
}

Task<void> Carriage::EndLane() {
  CancelLane();
  co_await lane_.WaitUntilIdle();
}

Task<Status> Carriage::AnswerLane() {
  if (guest_left_) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  CO_RETURN_IF_ERROR(co_await SendHead());
  if (head.has_body) StartLane(&Carriage::RequestLane);
  for (int heads = 0; heads <= kInterimMax; ++heads) {
    ASSIGN_OR_CO_RETURN(AnswerHead answer, co_await origin_->ReadHead());
    KeepNoMore();
    CountIn(BytesOf(answer.headers) + 16);
    if (answer.status == 101) co_return co_await PassUpgrade(std::move(answer));
    if (answer.status >= 200) co_return co_await PassAnswer(std::move(answer));
    answer.has_body = false;
    CO_RETURN_IF_ERROR(co_await TellGuest(std::move(answer)));
  }
  co_return Fail(ErrorCode::kUnavailable, "malformed answer: too many interim answers");
}

// The head is needed once more when the connection turns out to be dead.
Task<Status> Carriage::SendHead() {
  RequestHead copy = head;
  co_return co_await origin_->SendHead(std::move(copy));
}

Task<Status> Carriage::TellGuest(AnswerHead answer) {
  Status told = co_await guest->SendHead(std::move(answer));
  if (!told) guest_left_ = true;
  co_return told;
}

Task<Status> Carriage::PassAnswer(AnswerHead answer) {
  bool has_body = answer.has_body;
  std::optional<std::uint64_t> promised = answer.body_bytes;
  record.status = answer.status;
  answer_begun_ = true;
  CO_RETURN_IF_ERROR(co_await TellGuest(std::move(answer)));
  answer_whole_ = !has_body;
  std::uint64_t passed = 0;
  while (has_body) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await origin_->ReadBody());
    if (piece.empty()) break;
    CountIn(piece.size());
    passed += piece.size();
    Status sent = co_await guest->SendBody(std::move(piece));
    if (sent) answer_whole_ = promised == passed;
    if (sent) continue;
    // A body that does not keep to its length is the origin's fault, all else the guest's.
    guest_left_ = sent.error().code == ErrorCode::kUnavailable;
    co_return sent;
  }
  http::Headers trailers = origin_->trailers();
  Status finished = co_await guest->Finish(std::move(trailers));
  if (!finished) guest_left_ = true;
  co_return finished;
}

void Carriage::StartLane(Lane lane) {
  auto entry = std::make_unique<http::OperationCounter::Entry>(lane_);
  lane_cancelled_ = false;
  asio::co_spawn(executor_, RunLane(shared_from_this(), lane, std::move(entry)),
                 asio::bind_cancellation_slot(cancel_request_.slot(), asio::detached));
}

Task<void> Carriage::RunLane(std::shared_ptr<Carriage> self,
                             Lane lane,
                             std::unique_ptr<http::OperationCounter::Entry> entry) {
  try {
    // An origin that takes no more may still answer; a guest that breaks off ends it all.
    Status done = co_await ((*self).*lane)();
    if (!done && self->guest_error_ && self->answer_runs_) self->cancel_answer_.emit(kTerminal);
  } catch (const boost::system::system_error&) {  // cancelled
  }
  co_await asio::this_coro::throw_if_cancelled(false);
  entry.reset();
}

Task<Result<std::string>> Carriage::ReadGuest() {
  Result<std::string> piece = co_await guest->ReadBody();
  if (!piece && !lane_cancelled_) guest_error_ = piece.error();
  if (piece) CountOut(piece->size());
  co_return piece;
}

Task<Status> Carriage::SendBegin() {
  std::string begin = std::exchange(body_begin, {});
  Keep(begin);
  for (std::size_t at = 0; at < begin.size(); at += kCarriedPieceBytesMax) {
    body_started_ = true;
    std::string piece = begin.substr(at, kCarriedPieceBytesMax);
    CO_RETURN_IF_ERROR(co_await origin_->SendBody(std::move(piece)));
  }
  co_return Status();
}

Task<Status> Carriage::RequestLane() {
  CO_RETURN_IF_ERROR(co_await SendBegin());
  while (!body_read) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await ReadGuest());
    body_started_ = true;
    body_read = piece.empty();
    if (body_read) break;
    Keep(piece);
    CO_RETURN_IF_ERROR(co_await origin_->SendBody(std::move(piece)));
  }
  http::Headers trailers = TrailersToSend();
  co_return co_await origin_->Finish(std::move(trailers));
}

// A trailer of the guest's must not say once more what a rule has set, nor what no rule may set.
http::Headers Carriage::TrailersToSend() const {
  http::Headers kept;
  const http::Headers& asked = guest->head().headers;
  for (const auto& [name, value] : guest->trailers()) {
    bool set = head.headers.Has(name) && head.headers.Get(name) != asked.Get(name);
    bool names_someone =
        EqualsIgnoreCase(name, "authorization") || EqualsIgnoreCase(name, "cookie");
    if (!set && !names_someone && !IsReservedHeader(name)) kept.Add(name, value);
  }
  return kept;
}

Task<Status> Carriage::PassUpgrade(AnswerHead answer) {
  http::ByteStream* from = origin_->upgraded();
  if (head.upgrade.empty() || from == nullptr) {
    co_return Fail(ErrorCode::kUnavailable, "malformed answer: it changes protocols unasked");
  }
  record.status = 101;
  answer_begun_ = true;
  CO_RETURN_IF_ERROR(co_await TellGuest(std::move(answer)));
  http::ByteStream* to = guest->upgraded();
  if (to == nullptr) co_return Fail(ErrorCode::kInternal, "the guest's side was not upgraded");
  StartLane(&Carriage::UpLane);
  CO_RETURN_IF_ERROR(co_await PassDown(*from, *to));
  to->CloseWrite();
  co_await lane_.WaitUntilIdle();
  co_return Status();
}

Task<Status> Carriage::PassDown(http::ByteStream& from, http::ByteStream& to) {
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string bytes, co_await from.Read());
    if (bytes.empty()) co_return Status();
    CountIn(bytes.size());
    CO_RETURN_IF_ERROR(co_await to.Write(std::move(bytes)));
  }
}

// The guest's bytes after an upgrade. An error on either side ends the other direction, too.
Task<Status> Carriage::UpLane() {
  http::ByteStream& from = *guest->upgraded();
  http::ByteStream& to = *origin_->upgraded();
  for (;;) {
    Result<std::string> bytes = co_await from.Read();
    Status written;
    if (bytes && bytes->empty()) {
      to.CloseWrite();
      co_return Status();
    }
    if (bytes) {
      CountOut(bytes->size());
      written = co_await to.Write(*std::move(bytes));
    }
    if (bytes && written) continue;
    Error error = bytes ? written.error() : bytes.error();
    if (!lane_cancelled_) guest_error_ = error;
    co_return PassUp(std::move(error));
  }
}

bool Carriage::IsIdempotent() const {
  const std::string& method = head.method;
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" ||
         method == "DELETE";
}

}  // namespace viv::gateway
