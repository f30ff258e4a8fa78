#include "spawner/spawner.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "agent/agent.h"
#include "runtime/wire.h"
#include "spawner/box_cloner.h"
#include "spawner/empty_root.h"
#include "spawner/user_namespaces.h"

namespace viv::spawner {
namespace {

using runtime::Packet;
using runtime::Step;
using runtime::WireReply;
using runtime::WireSetup;

struct Setup {
  bool landlock = false;
  std::vector<sock_filter> filter;
};

std::optional<Setup> ReadSetup(const Packet& packet) {
  WireSetup wire;
  if (packet.bytes.size() < sizeof wire) return std::nullopt;
  std::memcpy(&wire, packet.bytes.data(), sizeof wire);
  std::size_t size = packet.bytes.size() - sizeof wire;
  if (wire.version != runtime::kWireVersion || wire.filter_count == 0 ||
      wire.filter_count > runtime::kFilterMax || size != wire.filter_count * sizeof(sock_filter))
    return std::nullopt;
  Setup setup{wire.landlock != 0, std::vector<sock_filter>(wire.filter_count)};
  std::memcpy(setup.filter.data(), packet.bytes.data() + sizeof wire, size);
  return setup;
}

bool SendReply(int server, const WireReply& reply, const UniqueFd& pidfd) {
  std::vector<int> descriptors;
  if (pidfd) descriptors.push_back(pidfd.get());
  return static_cast<bool>(runtime::SendPacket(server, &reply, sizeof reply, descriptors));
}

StepFailure Prepare(UniqueFd& proc, UserNamespaces& users) {
  // The kernel reaps dead boxes and namespace holders for us; boxes set the signal back.
  if (::signal(SIGCHLD, SIG_IGN) == SIG_ERR) return {Step::kSession, errno};
  if (StepFailure failure = EnterEmptyRoot(proc); failure.step != Step::kNone) return failure;
  return users.Prepare();
}

}  // namespace

int Serve(UniqueFd server) {
  auto first = runtime::ReceivePacket(server.get());
  if (!first) return 1;
  std::optional<Setup> setup = ReadSetup(*first);
  if (!setup) return 1;

  UniqueFd proc;
  UserNamespaces users(proc);
  StepFailure failure = Prepare(proc, users);
  if (!SendReply(server.get(), {failure.step, failure.error, ::getpid()}, UniqueFd())) return 1;
  if (failure.step != Step::kNone) return 1;

  sock_fprog filter{static_cast<unsigned short>(setup->filter.size()), setup->filter.data()};
  BoxCloner cloner(users, filter, setup->landlock);
  for (;;) {
    auto packet = runtime::ReceivePacket(server.get(), sizeof(runtime::WireRequest));
    if (!packet) return 0;  // the server is gone
    CloneResult result = cloner.Clone(*std::move(packet));
    if (result.listener) agent::Run(std::move(result.listener));  // we are the box
    if (!SendReply(server.get(), result.reply, result.pidfd)) return 0;
    if (result.reply.step == Step::kNone) cloner.PrepareNext();
  }
}

}  // namespace viv::spawner
