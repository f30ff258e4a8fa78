#pragma once
// One connection out of a box: the guest's side, accepted at the TCP door, and the other side once
// it is dialled. It is in its box's set while it lives, and is kept alive by its coroutines only.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "network/box.h"
#include "network/flow_log.h"

namespace viv::network {

class Flow {
 public:
  Flow(std::shared_ptr<Box> of_box, UniqueFd accepted);
  ~Flow();  // and its line in the flow log
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  bool StillAllowed() const;  // DNS is answered here, so its connections always are
  void Abort();               // resets both sides; waits on them end

  // For an interceptor, which serves the guest instead of the pipe.
  UniqueFd ReleaseGuestSocket();  // the guest's socket: the caller's from now on
  // A new connection to where this one was meant to go, through the box's proxy if it has one.
  // `host` is the name that such a proxy is asked for; empty: the one the flow has.
  Task<Result<UniqueFd>> Dial(std::string host = {});
  // Whether a request for this host may be sent here: the box's rules allow it, and it is a name
  // that gave the guest this address. A guest that used the address itself may name the address, or
  // a host that neither a rule nor the interceptor knows by name.
  bool AllowsHost(std::string_view host) const;
  void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in);
  FlowRecord Describe() const;  // what is known so far; for the log
  void Log(const FlowRecord& line) const;
  std::function<void()> on_abort;  // ends what the interceptor has open; called once

  // What the log says about its end.
  void RecordRefusal(std::string why);
  void RecordFailure(std::string why);

  const std::shared_ptr<Box> box;
  Stream guest, remote;
  Endpoint destination;
  std::vector<std::string> resolved_names;  // that gave the guest this address, the latest first
  std::string sniffed_host;                 // the one its opening settled on; empty: none did
  bool is_dns = false;
  std::shared_ptr<Interceptor> interceptor;  // that serves it
  FlowRecord record;                         // but for what Describe adds

  // Of the other side: whether its sending has ended, and whether it is let go while the guest
  // stays, since an interceptor takes over.
  bool remote_ended = false, remote_detached = false;
  UniqueFd detached_remote;  // the connection to it, when it is let go: for the first who dials

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable bool logged_ = false;
};

// Carries bytes both ways until both sides have ended, `already_read` of the guest's first. A side
// that ends its sending is passed on as such; a reset resets the other side.
void StartPipe(std::shared_ptr<Flow> flow, std::string already_read = {});
// The two halves of it, for a flow whose guest has not spoken yet.
void StartInbound(std::shared_ptr<Flow> flow);
void StartOutbound(std::shared_ptr<Flow> flow, std::string already_read);

}  // namespace viv::network
