#pragma once
// One request under way: what its two lanes share. The answer's lane sends the head, reads what
// comes back and passes it on; the request's lane, where there is a body, runs beside it. Either
// can end the other. All on one thread.

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

  // Carries it over `exchange`, to the end or until a side fails.
  Task<Status> Run(OpenedOrigin opened);

  void OnGuestGone();  // ends both lanes
  bool guest_gone() const { return guest_gone_; }
  // Why the request itself cannot be read any further.
  const std::optional<Error>& guest_error() const { return guest_error_; }
  bool response_started() const { return response_started_; }
  // The guest has all that it was promised: it may leave before the end is said.
  bool response_complete() const { return response_complete_; }
  // After a failure: whether the same may be tried once more. What was lost needs a fresh
  // connection; what nobody has touched may go on any.
  enum class Retry { kNo, kOnNewConnection, kOnAnyConnection };
  Retry retry() const { return retry_; }

  void CountOut(std::uint64_t bytes);  // of the guest
  void CountIn(std::uint64_t bytes);

  const std::shared_ptr<InterceptedConnection> connection;
  const std::shared_ptr<GuestExchange> guest;
  RequestHead head;            // as it is sent
  std::string buffered_body;   // read of the body so far
  bool body_complete = false;  // to its end
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
  bool body_started_ = false;      // something of it went out
  bool response_started_ = false;  // the guest was told its head
  bool response_complete_ = false;
  Retry retry_ = Retry::kNo;
  std::string kept_body_;  // of the body that went out, while it may have to go out once more
  bool keeps_body_ = true;
  bool guest_gone_ = false;
  std::optional<Error> guest_error_;
};

// About how long the head is on the wire.
std::uint64_t BytesOf(const http::Headers& headers);

}  // namespace viv::gateway
