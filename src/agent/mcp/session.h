#pragma once
// One run of an MCP server: a program that speaks JSON-RPC in lines, greeted by the bridge once and
// asked by many callers, whose ids and progress tokens are replaced by our own on the way in and
// put back on the way out. A connection is of one era of the protocol, its callers may be of
// either: what one era has and the other has not is added or taken away in between. The handshake
// is tried first, for there are servers that end at anything else; one that refuses it is asked for
// the modern revision. It ends by a crash, or because it was idle or is no longer wanted; every
// call under way is told so. One thread.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/log_ring.h"
#include "agent/mcp/line_splitter.h"
#include "agent/mcp/request.h"
#include "agent/process/running_process.h"
#include "agent/process/spawn_program.h"

namespace viv::agent {

// A request under way. Its lines are taken by McpSession::NextLine.
struct McpCall {
  std::int64_t number = 0;  // our id for it, and its progress token
  std::string caller;
  std::string id;              // the caller's, as written
  std::string progress_token;  // the same; empty: none
  std::string method;
  bool modern = false;
  int log_level = 0;  // the least severe message it wants to hear of, see LogLevelIn

  std::deque<std::string> notifications;  // to tell before the response
  std::optional<std::string> answer;      // the last line
  bool cancelled = false;                 // there will be no response
  std::size_t queued_bytes = 0;
  Notifier changed;

  bool over() const { return answer || cancelled; }
};

class McpSession : public RunningProcess {
 public:
  static constexpr std::size_t kLineBytesMax = 32 * 1024 * 1024;
  static constexpr std::size_t kCallsMax = 256;
  static constexpr std::size_t kQueuedBytesMax = 64 * 1024 * 1024;  // of all calls: then it waits
  static constexpr std::size_t kNotificationsMax = 1000;            // of one call; more are dropped
  static constexpr std::size_t kNotificationBytesMax = 4 * 1024 * 1024;
  static constexpr std::chrono::seconds kStopTimeout{5};

  McpSession(asio::any_io_executor executor,
             McpDefinition definition,
             SpawnedProgram spawned,
             LogRing& logs);

  const McpDefinition& definition() const { return definition_; }
  bool ready() const { return !ended() && !stopping() && !initialize_result_.empty(); }
  bool stopping() const { return stop_reason_.has_value(); }
  // Its InitializeResult; of one without a handshake what would be in it.
  const std::string& initialize_result() const { return initialize_result_; }
  const std::string& failure() const { return failure_; }  // why it ended
  Notifier& state_changed() { return state_changed_; }
  std::size_t calls() const { return calls_.size(); }
  bool has_work() const;  // calls, or processes beyond those it came with

  // The coroutines that keep it going, beside those of RunningProcess.
  Task<void> PumpInput();
  Task<void> Supervise();
  // From the reaper. What its children still write belongs to nobody.
  void OnLeaderExit(int wait_status);

  // Sends the request on. The error says why it takes no more.
  Result<std::shared_ptr<McpCall>> Begin(const McpRequest& request);
  // The caller wants no response any more.
  void Abandon(const std::shared_ptr<McpCall>& call);
  void Cancel(std::string_view caller, std::string_view id, std::string_view reason_json);
  void Notify(std::string line);
  // The next line for the caller; nothing when there is none now.
  std::optional<std::string> NextLine(McpCall& call);

  void Stop(std::string reason);  // SIGTERM, and SIGKILL to those who ignore it

 private:
  using Clock = std::chrono::steady_clock;

  void OnOutput(OutputStream stream, std::string_view bytes) override;
  void OnStreamEnd(OutputStream stream) override;
  void OnEnded() override;
  bool wants_more() override { return queued_bytes_ < kQueuedBytesMax; }

  void HandleLine(std::string line);
  void HandleMessage(std::string_view text, const json::value& value);
  void HandleResponse(std::string_view text, const json::value& id);
  void HandleInitializeResult(std::string_view text);
  void HandleDiscoverResult(std::string_view text);
  void OnInitialized(std::string initialize_result);
  std::string ResponseFor(const McpCall& call, std::string_view text) const;
  void RespondToServer(std::string_view text, const rpc::JsonRpcMessage& request);
  void HandleServerNotification(std::string_view text, const rpc::JsonRpcMessage& notification);
  void HandleErrorLine(std::string_view line);

  bool Queue(std::string line);  // for its input; false when too much waits
  void QueueNotification(McpCall& call, std::string notification);
  void Finish(std::int64_t number, std::string answer);
  void SendCancellation(const McpCall& call, std::string_view reason_json);
  // It does not look alive: it has a moment to end by itself, and how it does says more.
  void ExpectExit(std::string reason);
  void KillSoon(std::string reason);  // killed soon, but not within this call
  Time NextDeadline() const;
  void ActOnDeadline(Time now);
  std::string EndText() const;

  const McpDefinition definition_;
  LogRing& logs_;
  const Time started_at_;
  std::string initialize_result_;
  std::string refusal_;  // of the handshake; empty: it was not refused so far
  bool modern_ = false;  // it speaks the revision without a handshake
  std::string failure_;
  std::optional<std::string> stop_reason_;
  std::string exit_reason_;
  Time kill_at_ = Time::max();
  Time last_used_;
  std::size_t own_processes_ = 0;  // that it came with
  Notifier state_changed_;
  Notifier supervised_;

  std::int64_t last_number_ = 0;
  std::map<std::int64_t, std::shared_ptr<McpCall>> calls_;
  std::size_t queued_bytes_ = 0;

  LineSplitter lines_;
  LineSplitter error_lines_;
  std::deque<std::string> error_tail_;  // its last lines there
  Time logged_since_{};
  int logged_lines_ = 0;

  std::deque<std::string> input_;
  std::size_t input_bytes_ = 0;
  Notifier input_queued_;
};

}  // namespace viv::agent
