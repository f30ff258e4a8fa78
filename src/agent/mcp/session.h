#pragma once
// One process of an MCP server, which speaks JSON-RPC in lines. The bridge initializes it once and
// sends it the requests of many callers; their ids and progress tokens are replaced by our own in
// requests, and restored in responses. The process speaks one kind of revision, its callers may
// speak either: the bridge adds or removes what only one of them has. The handshake is tried first,
// because some servers exit at anything else; to a server that refuses it the bridge sends
// server/discover. A session ends by a crash, because it was idle, or because its definition
// changed; every pending call gets an error then. Used from one thread.

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

// A pending request. McpSession::NextLine takes its lines.
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
  // Its InitializeResult, which for the modern revision is built from server/discover.
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
  // The process closed a stream, so that it should exit soon. It is killed after a short time; its
  // exit status says more than the closed stream.
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
