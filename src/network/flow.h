#pragma once
// One connection out of a box: the guest's socket, accepted by the TCP listener, and the remote
// socket once it is dialled. It is in its box's set while it lives. Only its coroutines keep it
// alive.

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
  ~Flow();  // also writes its record to the flow log
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  bool StillAllowed() const;  // always true for DNS, which is answered here
  void Abort();               // resets both sockets, which ends all waits on them

  // For an interceptor, which serves the guest instead of the pipe:
  UniqueFd ReleaseGuestSocket();  // gives the guest's socket to the caller
  // Opens another connection to the flow's destination, through the box's proxy if it has one. The
  // proxy gets the name `host`, or the flow's own if that is empty.
  Task<Result<UniqueFd>> Dial(std::string host = {});
  // Whether a request for this host may be sent on this connection: the box's rules have to allow
  // it, and the host must have resolved to this address. A guest that used the address itself may
  // name the address, or a host that neither a rule nor the interceptor has by name.
  bool AllowsHost(std::string_view host) const;
  void CountBytes(std::uint64_t bytes_out, std::uint64_t bytes_in);
  FlowRecord Describe() const;  // the record as far as it is known
  void Log(const FlowRecord& line) const;
  std::function<void()> on_abort;  // the interceptor's cleanup; called once

  // Set the verdict and the reason of the flow's record.
  void RecordRefusal(std::string why);
  void RecordFailure(std::string why);

  const std::shared_ptr<Box> box;
  Stream guest, remote;
  Endpoint destination;
  std::vector<std::string> resolved_names;  // they resolved to this address; the latest first
  std::string sniffed_host;                 // the host in its first bytes; empty: none
  bool is_dns = false;
  std::shared_ptr<Interceptor> interceptor;  // it serves this flow
  FlowRecord record;                         // without what Describe adds

  // Whether the remote side has ended its sending, and whether it was detached because an
  // interceptor serves the guest instead.
  bool remote_ended = false, remote_detached = false;
  UniqueFd detached_remote;  // the detached connection, for the first Dial

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable bool logged_ = false;
};

// Pipes bytes both ways until both sides have ended. `already_read` is sent to the remote side
// first. When one side ends its sending, the other side gets an end of stream; when one side is
// reset, so is the other.
void StartPipe(std::shared_ptr<Flow> flow, std::string already_read = {});
// The two directions of the pipe, for a flow whose guest has not sent anything yet.
void StartInbound(std::shared_ptr<Flow> flow);
void StartOutbound(std::shared_ptr<Flow> flow, std::string already_read);

}  // namespace viv::network
