#include "spawner/spawner.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "agent/agent.h"
#include "runtime/wire.h"
#include "spawner/birth.h"
#include "spawner/empty_root.h"
#include "spawner/user_namespaces.h"

namespace viv::spawner {
namespace {

using runtime::Packet;
using runtime::Step;
using runtime::WireReply;
using runtime::WireSetup;

struct SetUp {
  bool landlock = false;
  std::vector<sock_filter> filter;
};

std::optional<SetUp> ReadSetUp(const Packet& packet) {
  WireSetup wire;
  if (packet.bytes.size() < sizeof wire) return std::nullopt;
  std::memcpy(&wire, packet.bytes.data(), sizeof wire);
  std::size_t size = packet.bytes.size() - sizeof wire;
  if (wire.version != runtime::kWireVersion || wire.filter_count == 0 ||
      wire.filter_count > runtime::kFilterMax || size != wire.filter_count * sizeof(sock_filter))
    return std::nullopt;
  SetUp set_up{wire.landlock != 0, std::vector<sock_filter>(wire.filter_count)};
  std::memcpy(set_up.filter.data(), packet.bytes.data() + sizeof wire, size);
  return set_up;
}

bool Answer(int server, const WireReply& reply, const UniqueFd& pidfd) {
  std::vector<int> descriptors;
  if (pidfd) descriptors.push_back(pidfd.get());
  return static_cast<bool>(runtime::SendPacket(server, &reply, sizeof reply, descriptors));
}

Failure Prepare(UniqueFd& proc, UserNamespaces& users) {
  // The kernel reaps dead boxes and namespace holders for us; boxes set the signal back.
  if (::signal(SIGCHLD, SIG_IGN) == SIG_ERR) return {Step::kSession, errno};
  if (Failure failure = EnterEmptyRoot(proc); failure.step != Step::kNone) return failure;
  return users.Prepare();
}

}  // namespace

int Serve(UniqueFd server) {
  auto first = runtime::ReceivePacket(server.get());
  if (!first) return 1;
  std::optional<SetUp> set_up = ReadSetUp(*first);
  if (!set_up) return 1;

  UniqueFd proc;
  UserNamespaces users(proc);
  Failure failure = Prepare(proc, users);
  if (!Answer(server.get(), {failure.step, failure.error, ::getpid()}, UniqueFd())) return 1;
  if (failure.step != Step::kNone) return 1;

  sock_fprog filter{static_cast<unsigned short>(set_up->filter.size()), set_up->filter.data()};
  Midwife midwife(users, filter, set_up->landlock);
  for (;;) {
    auto packet = runtime::ReceivePacket(server.get(), sizeof(runtime::WireRequest));
    if (!packet) return 0;  // the server is gone
    Born born = midwife.Deliver(*std::move(packet));
    if (born.listener) agent::Run(std::move(born.listener));  // we are the box
    if (!Answer(server.get(), born.reply, born.pidfd)) return 0;
    if (born.reply.step == Step::kNone) midwife.PrepareNext();
  }
}

}  // namespace viv::spawner
