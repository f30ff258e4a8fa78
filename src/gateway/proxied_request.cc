#include "gateway/proxied_request.h"

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

constexpr std::size_t kForwardedPieceBytesMax = 64 * 1024;
// About as much as an HTTP/2 origin reads before it refuses a stream.
constexpr std::size_t kRetryBodyBytesMax = 128 * 1024;
constexpr int kInterimMax = 32;

constexpr auto kTerminal = asio::cancellation_type::terminal;

}  // namespace

std::uint64_t BytesOf(const http::Headers& headers) {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 4;
  return bytes;
}

ProxiedRequest::ProxiedRequest(asio::any_io_executor executor,
                               std::shared_ptr<InterceptedConnection> of_connection,
                               std::shared_ptr<GuestExchange> of_guest)
    : connection(std::move(of_connection)),
      guest(std::move(of_guest)),
      head(guest->head()),
      executor_(std::move(executor)),
      upload_(executor_) {}

void ProxiedRequest::CountOut(std::uint64_t bytes) {
  record.bytes_out += bytes;
  connection->CountBytes(bytes, 0);
}

void ProxiedRequest::CountIn(std::uint64_t bytes) {
  record.bytes_in += bytes;
  connection->CountBytes(0, bytes);
}

void ProxiedRequest::OnGuestGone() {
  if (std::exchange(guest_gone_, true)) return;
  auto self = shared_from_this();  // what is cancelled now may drop the last reference
  CancelUpload();
  if (response_runs_) cancel_response_.emit(kTerminal);
}

Task<Status> ProxiedRequest::Run(OpenedOrigin opened) {
  auto self = shared_from_this();
  origin_ = std::move(opened.exchange);
  retry_ = Retry::kNo;
  response_runs_ = true;
  auto token = asio::bind_cancellation_slot(cancel_response_.slot(), asio::use_awaitable);
  Status done = co_await asio::co_spawn(executor_, RunResponseTask(self), token);
  response_runs_ = false;
  // A body that was read completely may be in its last steps.
  if (done && body_complete && !upload_.idle()) co_await asio::post(executor_, asio::use_awaitable);
  co_await EndUpload();
  if (!done) retry_ = DecideRetry();
  if (retry_ != Retry::kNo) buffered_body.insert(0, std::exchange(kept_body_, {}));
  origin_.reset();
  co_return done;
}

// A request that was certainly not processed is sent again, whatever it is, if its whole body is
// kept.
ProxiedRequest::Retry ProxiedRequest::DecideRetry() const {
  OriginExchange::Delivery delivery = origin_->delivery();
  if (delivery == OriginExchange::Delivery::kUnprocessed && keeps_body_)
    return Retry::kOnAnyConnection;
  bool lost = delivery == OriginExchange::Delivery::kMaybeLost && !body_started_ && IsIdempotent();
  return lost ? Retry::kOnNewConnection : Retry::kNo;
}

void ProxiedRequest::KeepForRetry(std::string_view piece) {
  if (!keeps_body_ || kept_body_.size() + piece.size() > kRetryBodyBytesMax) return StopKeeping();
  kept_body_ += piece;
}

void ProxiedRequest::StopKeeping() {
  keeps_body_ = false;
  kept_body_ = std::string();
}

// The task keeps the request alive: it may hold the last reference when a whole loop is destroyed.
// A cancelled task throws, and its waiter has to continue.
Task<Status> ProxiedRequest::RunResponseTask(std::shared_ptr<ProxiedRequest> self) {
  Status done = Fail(ErrorCode::kUnavailable, "it was broken off");
  try {
    done = co_await self->ResponseTask();
  } catch (const boost::system::system_error&) {
  }
  co_await asio::this_coro::throw_if_cancelled(false);  // co_spawn itself still has to wait
  co_return done;
}

void ProxiedRequest::CancelUpload() {
  if (upload_.idle()) return;
  upload_cancelled_ = true;
  cancel_upload_.emit(kTerminal);
}

Task<void> ProxiedRequest::EndUpload() {
  CancelUpload();
  co_await upload_.WaitUntilIdle();
}

Task<Status> ProxiedRequest::ResponseTask() {
  if (guest_gone_) co_return Fail(ErrorCode::kUnavailable, "the guest went away");
  CO_RETURN_IF_ERROR(co_await SendHead());
  if (head.has_body) StartUpload(&ProxiedRequest::RequestBodyTask);
  for (int heads = 0; heads <= kInterimMax; ++heads) {
    ASSIGN_OR_CO_RETURN(ResponseHead response, co_await origin_->ReadHead());
    StopKeeping();
    CountIn(BytesOf(response.headers) + 16);
    if (response.status == 101) co_return co_await ForwardUpgrade(std::move(response));
    if (response.status >= 200) co_return co_await ForwardResponse(std::move(response));
    response.has_body = false;
    CO_RETURN_IF_ERROR(co_await SendHeadToGuest(std::move(response)));
  }
  co_return Fail(ErrorCode::kUnavailable, "malformed answer: too many interim answers");
}

// The head is needed again if the connection turns out to be dead.
Task<Status> ProxiedRequest::SendHead() {
  RequestHead copy = head;
  co_return co_await origin_->SendHead(std::move(copy));
}

Task<Status> ProxiedRequest::SendHeadToGuest(ResponseHead response) {
  Status told = co_await guest->SendHead(std::move(response));
  if (!told) guest_gone_ = true;
  co_return told;
}

Task<Status> ProxiedRequest::ForwardResponse(ResponseHead response) {
  bool has_body = response.has_body;
  std::optional<std::uint64_t> promised = response.body_bytes;
  record.status = response.status;
  response_started_ = true;
  CO_RETURN_IF_ERROR(co_await SendHeadToGuest(std::move(response)));
  response_complete_ = !has_body;
  std::uint64_t passed = 0;
  while (has_body) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await origin_->ReadBody());
    if (piece.empty()) break;
    CountIn(piece.size());
    passed += piece.size();
    Status sent = co_await guest->SendBody(std::move(piece));
    if (sent) response_complete_ = promised == passed;
    if (sent) continue;
    // A body of the wrong length is the origin's fault; every other failure is the guest's.
    guest_gone_ = sent.error().code == ErrorCode::kUnavailable;
    co_return sent;
  }
  http::Headers trailers = origin_->trailers();
  Status finished = co_await guest->Finish(std::move(trailers));
  if (!finished) guest_gone_ = true;
  co_return finished;
}

void ProxiedRequest::StartUpload(UploadTask task) {
  auto entry = std::make_unique<http::OperationCounter::Entry>(upload_);
  upload_cancelled_ = false;
  asio::co_spawn(executor_, RunUpload(shared_from_this(), task, std::move(entry)),
                 asio::bind_cancellation_slot(cancel_upload_.slot(), asio::detached));
}

Task<void> ProxiedRequest::RunUpload(std::shared_ptr<ProxiedRequest> self,
                                     UploadTask task,
                                     std::unique_ptr<http::OperationCounter::Entry> entry) {
  try {
    // An origin that reads no more may still respond. If the guest fails, the response is
    // cancelled, too.
    Status done = co_await ((*self).*task)();
    if (!done && self->guest_error_ && self->response_runs_) self->cancel_response_.emit(kTerminal);
  } catch (const boost::system::system_error&) {  // cancelled
  }
  co_await asio::this_coro::throw_if_cancelled(false);
  entry.reset();
}

Task<Result<std::string>> ProxiedRequest::ReadGuest() {
  Result<std::string> piece = co_await guest->ReadBody();
  if (!piece && !upload_cancelled_) guest_error_ = piece.error();
  if (piece) CountOut(piece->size());
  co_return piece;
}

Task<Status> ProxiedRequest::SendBufferedBody() {
  std::string begin = std::exchange(buffered_body, {});
  KeepForRetry(begin);
  for (std::size_t at = 0; at < begin.size(); at += kForwardedPieceBytesMax) {
    body_started_ = true;
    std::string piece = begin.substr(at, kForwardedPieceBytesMax);
    CO_RETURN_IF_ERROR(co_await origin_->SendBody(std::move(piece)));
  }
  co_return Status();
}

Task<Status> ProxiedRequest::RequestBodyTask() {
  CO_RETURN_IF_ERROR(co_await SendBufferedBody());
  while (!body_complete) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await ReadGuest());
    body_started_ = true;
    body_complete = piece.empty();
    if (body_complete) break;
    KeepForRetry(piece);
    CO_RETURN_IF_ERROR(co_await origin_->SendBody(std::move(piece)));
  }
  http::Headers trailers = TrailersToSend();
  co_return co_await origin_->Finish(std::move(trailers));
}

// A trailer of the guest must not repeat a header that a rule has set, nor one that no rule may
// set.
http::Headers ProxiedRequest::TrailersToSend() const {
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

Task<Status> ProxiedRequest::ForwardUpgrade(ResponseHead response) {
  http::ByteStream* from = origin_->upgraded();
  if (head.upgrade.empty() || from == nullptr) {
    co_return Fail(ErrorCode::kUnavailable, "malformed answer: it changes protocols unasked");
  }
  record.status = 101;
  response_started_ = true;
  CO_RETURN_IF_ERROR(co_await SendHeadToGuest(std::move(response)));
  http::ByteStream* to = guest->upgraded();
  if (to == nullptr) co_return Fail(ErrorCode::kInternal, "the guest's side was not upgraded");
  StartUpload(&ProxiedRequest::UpgradeTask);
  CO_RETURN_IF_ERROR(co_await PipeOriginToGuest(*from, *to));
  to->CloseWrite();
  co_await upload_.WaitUntilIdle();
  co_return Status();
}

Task<Status> ProxiedRequest::PipeOriginToGuest(http::ByteStream& from, http::ByteStream& to) {
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string bytes, co_await from.Read());
    if (bytes.empty()) co_return Status();
    CountIn(bytes.size());
    CO_RETURN_IF_ERROR(co_await to.Write(std::move(bytes)));
  }
}

// Pipes the guest's bytes after an upgrade. An error on either side also ends the other direction.
Task<Status> ProxiedRequest::UpgradeTask() {
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
    if (!upload_cancelled_) guest_error_ = error;
    co_return PassUp(std::move(error));
  }
}

bool ProxiedRequest::IsIdempotent() const {
  const std::string& method = head.method;
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" ||
         method == "DELETE";
}

}  // namespace viv::gateway
