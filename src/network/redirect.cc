#include "network/redirect.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "network/address.h"
#include "network/namespaces.h"
#include "network/netlink.h"

namespace viv::network {
namespace {

constexpr char kTable[] = "viv";
constexpr char kUntracked[] = "untracked";
constexpr char kDoors[] = "doors";
constexpr char kGate[] = "gate";

// New flows to the outside, over which packets are dropped. Each leaves a tracking entry of the
// kernel's memory for some seconds, so this bounds what a box can make the host hold.
constexpr std::uint64_t kFlowsPerSecond = 2'000;
constexpr std::uint32_t kFlowsBurst = 5'000;

constexpr std::uint16_t NftType(int message) {
  return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

void BeginNft(NetlinkBatch& batch, const char* label, int message, std::uint16_t flags) {
  batch.Begin(label, NftType(message), flags);
  nfgenmsg family{};
  family.nfgen_family = NFPROTO_INET;
  family.version = NFNETLINK_V0;
  batch.Body(&family, sizeof family);
}

void AddFrame(NetlinkBatch& batch, const char* label, int message) {
  batch.Begin(label, static_cast<std::uint16_t>(message), 0);
  nfgenmsg family{};
  family.version = NFNETLINK_V0;
  family.res_id = htons(NFNL_SUBSYS_NFTABLES);
  batch.Body(&family, sizeof family);
}

struct ChainPlan {
  const char* name;
  const char* type;
  std::int32_t priority;
  std::uint32_t policy;
};

void AddChain(NetlinkBatch& batch, const ChainPlan& plan) {
  BeginNft(batch, "add a chain", NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_ACK);
  batch.Text(NFTA_CHAIN_TABLE, kTable);
  batch.Text(NFTA_CHAIN_NAME, plan.name);
  batch.OpenNest(NFTA_CHAIN_HOOK);
  batch.NetNumber32(NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
  batch.NetNumber32(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(plan.priority));
  batch.CloseNest();
  batch.NetNumber32(NFTA_CHAIN_POLICY, plan.policy);
  batch.Text(NFTA_CHAIN_TYPE, plan.type);
}

// Writes one rule as its expressions, in the order they are evaluated.
class RuleWriter {
 public:
  RuleWriter(NetlinkBatch& batch, const char* chain) : batch_(batch) {
    BeginNft(batch_, chain, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);
    batch_.Text(NFTA_RULE_TABLE, kTable);
    batch_.Text(NFTA_RULE_CHAIN, chain);
    batch_.OpenNest(NFTA_RULE_EXPRESSIONS);
  }
  ~RuleWriter() { batch_.CloseNest(); }
  RuleWriter(const RuleWriter&) = delete;
  RuleWriter& operator=(const RuleWriter&) = delete;

  RuleWriter& Meta(std::uint32_t key, std::uint8_t value) {
    Open("meta");
    batch_.NetNumber32(NFTA_META_KEY, key);
    batch_.NetNumber32(NFTA_META_DREG, NFT_REG_1);
    Close();
    return Equals(&value, sizeof value);
  }

  RuleWriter& Payload(std::uint32_t base, std::uint32_t offset, std::string_view value) {
    Open("payload");
    batch_.NetNumber32(NFTA_PAYLOAD_DREG, NFT_REG_1);
    batch_.NetNumber32(NFTA_PAYLOAD_BASE, base);
    batch_.NetNumber32(NFTA_PAYLOAD_OFFSET, offset);
    batch_.NetNumber32(NFTA_PAYLOAD_LEN, static_cast<std::uint32_t>(value.size()));
    Close();
    return Equals(value.data(), value.size());
  }

  RuleWriter& OverRate(std::uint64_t per_second, std::uint32_t burst) {
    Open("limit");
    batch_.NetNumber64(NFTA_LIMIT_RATE, per_second);
    batch_.NetNumber64(NFTA_LIMIT_UNIT, 1);
    batch_.NetNumber32(NFTA_LIMIT_BURST, burst);
    batch_.NetNumber32(NFTA_LIMIT_TYPE, NFT_LIMIT_PKTS);
    batch_.NetNumber32(NFTA_LIMIT_FLAGS, NFT_LIMIT_F_INV);
    Close();
    return *this;
  }

  void Verdict(std::uint32_t code) {
    Open("immediate");
    batch_.NetNumber32(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    batch_.OpenNest(NFTA_IMMEDIATE_DATA);
    batch_.OpenNest(NFTA_DATA_VERDICT);
    batch_.NetNumber32(NFTA_VERDICT_CODE, code);
    batch_.CloseNest();
    batch_.CloseNest();
    Close();
  }

  void RedirectTo(std::uint16_t port) {
    Open("immediate");
    batch_.NetNumber32(NFTA_IMMEDIATE_DREG, NFT_REG_1);
    batch_.OpenNest(NFTA_IMMEDIATE_DATA);
    batch_.NetNumber16(NFTA_DATA_VALUE, port);
    batch_.CloseNest();
    Close();
    Open("redir");
    batch_.NetNumber32(NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
    Close();
  }

  void Notrack() {
    Open("notrack");
    Close();
  }

 private:
  void Open(const char* expression) {
    batch_.OpenNest(NFTA_LIST_ELEM);
    batch_.Text(NFTA_EXPR_NAME, expression);
    batch_.OpenNest(NFTA_EXPR_DATA);
  }
  void Close() {
    batch_.CloseNest();
    batch_.CloseNest();
  }
  RuleWriter& Equals(const void* value, std::size_t size) {
    Open("cmp");
    batch_.NetNumber32(NFTA_CMP_SREG, NFT_REG_1);
    batch_.NetNumber32(NFTA_CMP_OP, NFT_CMP_EQ);
    batch_.OpenNest(NFTA_CMP_DATA);
    batch_.Attribute(NFTA_DATA_VALUE, value, size);
    batch_.CloseNest();
    Close();
    return *this;
  }

  NetlinkBatch& batch_;
};

constexpr std::uint8_t kTcp = IPPROTO_TCP, kUdp = IPPROTO_UDP;

// The addresses a box talks to itself by: where they lie in the header and what they begin with.
struct OwnAddress {
  std::uint8_t family;
  std::uint32_t source_at, destination_at;
  std::string bytes;
};

std::array<OwnAddress, 4> OwnAddresses() {
  auto raw = [](std::string_view text) { return ParseAddress(text)->Raw(); };
  return {{{NFPROTO_IPV4, 12, 16, std::string("\x7f")},
           {NFPROTO_IPV4, 12, 16, raw(kBoxAddress)},
           {NFPROTO_IPV6, 8, 24, raw("::1")},
           {NFPROTO_IPV6, 8, 24, raw(kBoxAddress6)}}};
}

}  // namespace

Status InstallRedirect() {
  NetlinkBatch batch;
  AddFrame(batch, "begin a transaction", NFNL_MSG_BATCH_BEGIN);
  BeginNft(batch, "add a table", NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK);
  batch.Text(NFTA_TABLE_NAME, kTable);
  AddChain(batch, {kUntracked, "filter", -300, NF_ACCEPT});
  AddChain(batch, {kDoors, "nat", -100, NF_ACCEPT});
  // Redirected packets have an own address by then, so the gate drops what has no door: the sender
  // gets EPERM at once, and a client that tried UDP falls back to TCP.
  AddChain(batch, {kGate, "filter", 0, NF_DROP});

  // A box's traffic with itself needs no translation, so it costs no tracking entry either.
  for (const OwnAddress& own : OwnAddresses()) {
    RuleWriter(batch, kUntracked)
        .Meta(NFT_META_NFPROTO, own.family)
        .Payload(NFT_PAYLOAD_NETWORK_HEADER, own.source_at, own.bytes)
        .Payload(NFT_PAYLOAD_NETWORK_HEADER, own.destination_at, own.bytes)
        .Notrack();
    RuleWriter(batch, kDoors)
        .Meta(NFT_META_NFPROTO, own.family)
        .Payload(NFT_PAYLOAD_NETWORK_HEADER, own.destination_at, own.bytes)
        .Verdict(NF_ACCEPT);
    RuleWriter(batch, kGate)
        .Meta(NFT_META_NFPROTO, own.family)
        .Payload(NFT_PAYLOAD_NETWORK_HEADER, own.destination_at, own.bytes)
        .Verdict(NF_ACCEPT);
  }

  // The nat chain sees the first packet of a flow only. TCP to port 53 takes the TCP door, which
  // knows it by its original destination.
  RuleWriter(batch, kDoors).OverRate(kFlowsPerSecond, kFlowsBurst).Verdict(NF_DROP);
  RuleWriter(batch, kDoors).Meta(NFT_META_L4PROTO, kTcp).RedirectTo(kTcpDoor);
  RuleWriter(batch, kDoors)
      .Meta(NFT_META_L4PROTO, kUdp)
      .Payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, std::string_view("\0\x35", 2))
      .RedirectTo(kDnsDoor);
  AddFrame(batch, "end a transaction", NFNL_MSG_BATCH_END);
  RETURN_IF_ERROR(SendNetlink(NETLINK_NETFILTER, batch), "install nft rules");
  return {};
}

}  // namespace viv::network
