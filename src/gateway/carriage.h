#pragma once
// One request under way: what its two lanes share. The answer's lane sends the head, reads what
// comes back and passes it on; the request's lane, where there is a body, runs beside it. Either
// can end the other. All on one thread.

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "gateway/carry.h"
#include "http/operation_counter.h"

namespace viv::gateway {

class Carriage : public std::enable_shared_from_this<Carriage> {
 public:
  Carriage(asio::any_io_executor executor,
           std::shared_ptr<Route> route,
           std::shared_ptr<GuestExchange> guest);

  // Carries it over `exchange`, to the end or until a side fails.
  Task<Status> Run(OpenedOrigin opened);

  void GuestLeft();  // ends both lanes
  bool guest_left() const { return guest_left_; }
  // Why the request itself cannot be read any further.
  const std::optional<Error>& guest_error() const { return guest_error_; }
  bool answer_begun() const { return answer_begun_; }
  // The guest has all that it was promised: it may leave before the end is said.
  bool answer_whole() const { return answer_whole_; }
  // After a failure: whether the same may be tried once more. What was lost needs a fresh
  // connection; what nobody has touched may go on any.
  enum class Again { kNo, kFresh, kAnywhere };
  Again again() const { return again_; }

  void CountOut(std::uint64_t bytes);  // of the guest
  void CountIn(std::uint64_t bytes);

  const std::shared_ptr<Route> route;
  const std::shared_ptr<GuestExchange> guest;
  RequestHead head;        // as it is sent
  std::string body_begin;  // read of the body so far
  bool body_read = false;  // to its end
  network::FlowRecord record;

 private:
  Task<Status> AnswerLane();
  static Task<Status> RunAnswerLane(std::shared_ptr<Carriage> self);
  Task<Status> SendHead();
  Task<Status> PassAnswer(AnswerHead answer);
  Task<Status> PassUpgrade(AnswerHead answer);
  Task<Status> PassDown(http::ByteStream& from, http::ByteStream& to);

  using Lane = Task<Status> (Carriage::*)();
  void StartLane(Lane lane);
  static Task<void> RunLane(std::shared_ptr<Carriage> self,
                            Lane lane,
                            std::unique_ptr<http::OperationCounter::Entry> entry);
  Task<Status> RequestLane();
  Task<Status> SendBegin();
  void Keep(std::string_view piece);
  void KeepNoMore();
  Again JudgeFailure() const;
  http::Headers TrailersToSend() const;
  Task<Status> UpLane();
  Task<void> EndLane();
  void CancelLane();
  Task<Result<std::string>> ReadGuest();
  Task<Status> TellGuest(AnswerHead answer);
  bool IsIdempotent() const;

  const asio::any_io_executor executor_;
  std::unique_ptr<OriginExchange> origin_;
  asio::cancellation_signal cancel_answer_, cancel_request_;
  http::OperationCounter lane_;
  bool answer_runs_ = false;
  bool lane_cancelled_ = false;
  bool body_started_ = false;  // something of it went out
  bool answer_begun_ = false;  // the guest was told its head
  bool answer_whole_ = false;
  Again again_ = Again::kNo;
  std::string kept_;  // of the body that went out, while it may have to go out once more
  bool keeps_ = true;
  bool guest_left_ = false;
  std::optional<Error> guest_error_;
};

// About how long the head is on the wire.
std::uint64_t BytesOf(const http::Headers& headers);

}  // namespace viv::gateway
