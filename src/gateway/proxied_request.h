#pragma once
// One request that is being forwarded: the state that its two tasks share. The response task sends
// the request's head, reads the response and forwards it. The upload task, if there is a body, runs
// at the same time. Either can end the other. Everything runs on one thread.

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "gateway/forward_request.h"
#include "http/operation_counter.h"

namespace viv::gateway {

class ProxiedRequest : public std::enable_shared_from_this<ProxiedRequest> {
 public:
  ProxiedRequest(asio::any_io_executor executor,
                 std::shared_ptr<InterceptedConnection> connection,
                 std::shared_ptr<GuestExchange> guest);

  // Forwards the request over this exchange, until the end or until a side fails.
  Task<Status> Run(OpenedOrigin opened);

  void OnGuestGone();  // cancels both tasks
  bool guest_gone() const { return guest_gone_; }
  // Why the rest of the request cannot be read.
  const std::optional<Error>& guest_error() const { return guest_error_; }
  bool response_started() const { return response_started_; }
  // The guest has received the whole body: it may leave before the response has formally ended.
  bool response_complete() const { return response_complete_; }
  // After a failure: whether the request may be sent again. One that may be lost needs a new
  // connection; one that was not processed may use any.
  enum class Retry { kNo, kOnNewConnection, kOnAnyConnection };
  Retry retry() const { return retry_; }

  void CountOut(std::uint64_t bytes);  // bytes that the guest sent
  void CountIn(std::uint64_t bytes);

  const std::shared_ptr<InterceptedConnection> connection;
  const std::shared_ptr<GuestExchange> guest;
  RequestHead head;            // as it is sent to the origin
  std::string buffered_body;   // the part of the body that was read before
  bool body_complete = false;  // the body was read to its end
  network::FlowRecord record;

 private:
  Task<Status> ResponseTask();
  static Task<Status> RunResponseTask(std::shared_ptr<ProxiedRequest> self);
  Task<Status> SendHead();
  Task<Status> ForwardResponse(ResponseHead response);
  Task<Status> ForwardUpgrade(ResponseHead response);
  Task<Status> PipeOriginToGuest(http::ByteStream& from, http::ByteStream& to);

  using UploadTask = Task<Status> (ProxiedRequest::*)();
  void StartUpload(UploadTask task);
  static Task<void> RunUpload(std::shared_ptr<ProxiedRequest> self,
                              UploadTask task,
                              std::unique_ptr<http::OperationCounter::Entry> entry);
  Task<Status> RequestBodyTask();
  Task<Status> SendBufferedBody();
  void KeepForRetry(std::string_view piece);
  void StopKeeping();
  Retry DecideRetry() const;
  http::Headers TrailersToSend() const;
  Task<Status> UpgradeTask();
  Task<void> EndUpload();
  void CancelUpload();
  Task<Result<std::string>> ReadGuest();
  Task<Status> SendHeadToGuest(ResponseHead response);
  bool IsIdempotent() const;

  const asio::any_io_executor executor_;
  std::unique_ptr<OriginExchange> origin_;
  asio::cancellation_signal cancel_response_, cancel_upload_;
  http::OperationCounter upload_;
  bool response_runs_ = false;
  bool upload_cancelled_ = false;
  bool body_started_ = false;      // a part of it was sent
  bool response_started_ = false;  // its head was sent to the guest
  bool response_complete_ = false;
  Retry retry_ = Retry::kNo;
  std::string kept_body_;  // the part of the body that was sent, while it may have to be sent again
  bool keeps_body_ = true;
  bool guest_gone_ = false;
  std::optional<Error> guest_error_;
};

// About how many bytes the headers take on the wire.
std::uint64_t BytesOf(const http::Headers& headers);

}  // namespace viv::gateway
