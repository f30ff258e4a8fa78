#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"

namespace viv::langsmith {
namespace {

http::Response WrongStateToStartOrStop(const boxes::Box& box, std::string_view doing) {
  return Failure(400, "InvalidRequest",
                 "sandbox '" + NameOf(box) + "' cannot be " + std::string(doing) + ": it is " +
                     std::string(StatusOf(box.state)));
}

// A box that changed its state meanwhile is in a wrong state, too.
http::Response StartStopFailure(const Error& error) {
  if (error.code == ErrorCode::kConflict) return Failure(400, "InvalidRequest", error.message);
  return FailureOf(error);
}

}  // namespace

Task<http::Response> StartBox(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  const std::string_view status = StatusOf((*box)->state);
  if (status != "stopped" && status != "failed")
    co_return WrongStateToStartOrStop(**box, "started");
  // A box of another dialect gets its original timeout again; boxes of this dialect have none.
  const std::int64_t timeout_seconds = (*box)->spec.timeout_seconds;
  auto connected = co_await context.boxes.Connect((*box)->account_id, (*box)->id, timeout_seconds);
  if (!connected) co_return StartStopFailure(connected.error());
  co_return http::Json(202, WriteJson(ShowBox(OriginOf(context, request), *connected->box)));
}

Task<http::Response> StopBox(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  if ((*box)->state != boxes::BoxState::kRunning)
    co_return WrongStateToStartOrStop(**box, "stopped");
  const auto memory =
      (*box)->spec.keep_memory ? boxes::Boxes::Memory::kKeep : boxes::Boxes::Memory::kDrop;
  Status stopped = co_await context.boxes.Pause((*box)->account_id, (*box)->id, memory);
  if (!stopped) co_return StartStopFailure(stopped.error());
  co_return http::Empty(204);
}

}  // namespace viv::langsmith
