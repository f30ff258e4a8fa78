#include "network/redirect.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "network/address.h"
#include "network/namespaces.h"
#include "network/netlink.h"

namespace viv::network {
namespace {

constexpr char kTable[] = "viv";
constexpr char kNotrackChain[] = "untracked";
constexpr char kDnsChain[] = "dns";
constexpr char kFilterChain[] = "filter";
constexpr char kTcpChain[] = "tcp";

// The rate of new DNS flows above which packets are dropped. Each flow leaves a conntrack entry for
// some seconds, so this bounds the kernel memory that a box can use.
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

void AddBatchMarker(NetlinkBatch& batch, const char* label, int message) {
  batch.Begin(label, static_cast<std::uint16_t>(message), 0);
  nfgenmsg family{};
  family.version = NFNETLINK_V0;
  family.res_id = htons(NFNL_SUBSYS_NFTABLES);
  batch.Body(&family, sizeof family);
}

struct ChainSpec {
  const char* name;
  const char* type;
  std::uint32_t hook;
  std::int32_t priority;
  std::uint32_t policy;
};

void AddChain(NetlinkBatch& batch, const ChainSpec& spec) {
  BeginNft(batch, "add a chain", NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_ACK);
  batch.Text(NFTA_CHAIN_TABLE, kTable);
  batch.Text(NFTA_CHAIN_NAME, spec.name);
  batch.OpenNest(NFTA_CHAIN_HOOK);
  batch.NetNumber32(NFTA_HOOK_HOOKNUM, spec.hook);
  batch.NetNumber32(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(spec.priority));
  batch.CloseNest();
  batch.NetNumber32(NFTA_CHAIN_POLICY, spec.policy);
  batch.Text(NFTA_CHAIN_TYPE, spec.type);
}

struct OwnBlock {
  Address prefix;
  int bits;  // a multiple of 8, counted as in SharesPrefix
};

const std::array<OwnBlock, 4>& OwnBlocks() {
  static const std::array<OwnBlock, 4> blocks = {{{*ParseAddress(kBoxAddress), 128},
                                                  {*ParseAddress("127.0.0.0"), 96 + 8},
                                                  {*ParseAddress(kBoxAddress6), 128},
                                                  {*ParseAddress("::1"), 128}}};
  return blocks;
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

  RuleWriter& From(const OwnBlock& own) { return Within(own, own.prefix.IsV4() ? 12 : 8); }
  RuleWriter& To(const OwnBlock& own) { return Within(own, own.prefix.IsV4() ? 16 : 24); }

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
    Port(port);
    Open("redir");
    batch_.NetNumber32(NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
    Close();
  }

  // Does not match if nobody listens on that port.
  RuleWriter& Tproxy(std::uint16_t port) {
    Port(port);
    Open("tproxy");
    batch_.NetNumber32(NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);
    batch_.NetNumber32(NFTA_TPROXY_REG_PORT, NFT_REG_1);
    Close();
    return *this;
  }

  void Reset() {
    Open("reject");
    batch_.NetNumber32(NFTA_REJECT_TYPE, NFT_REJECT_TCP_RST);
    Close();
  }

  RuleWriter& Notrack() {
    Open("notrack");
    Close();
    return *this;
  }

 private:
  void Port(std::uint16_t port) {
    Open("immediate");
    batch_.NetNumber32(NFTA_IMMEDIATE_DREG, NFT_REG_1);
    batch_.OpenNest(NFTA_IMMEDIATE_DATA);
    batch_.NetNumber16(NFTA_DATA_VALUE, port);
    batch_.CloseNest();
    Close();
  }
  void Open(const char* expression) {
    batch_.OpenNest(NFTA_LIST_ELEM);
    batch_.Text(NFTA_EXPR_NAME, expression);
    batch_.OpenNest(NFTA_EXPR_DATA);
  }
  void Close() {
    batch_.CloseNest();
    batch_.CloseNest();
  }
  RuleWriter& Within(const OwnBlock& own, std::uint32_t offset) {
    std::string bytes = own.prefix.Raw();
    bytes.resize(bytes.size() - static_cast<std::size_t>(128 - own.bits) / 8);
    return Meta(NFT_META_NFPROTO, own.prefix.IsV4() ? NFPROTO_IPV4 : NFPROTO_IPV6)
        .Payload(NFT_PAYLOAD_NETWORK_HEADER, offset, bytes);
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

}  // namespace

bool IsBoxOwnAddress(const Address& address) {
  for (const OwnBlock& own : OwnBlocks())
    if (address.SharesPrefix(own.prefix, own.bits)) return true;
  return false;
}

Status InstallRedirect() {
  NetlinkBatch batch;
  AddBatchMarker(batch, "begin a transaction", NFNL_MSG_BATCH_BEGIN);
  BeginNft(batch, "add a table", NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK);
  batch.Text(NFTA_TABLE_NAME, kTable);
  AddChain(batch, {kNotrackChain, "filter", NF_INET_LOCAL_OUT, -300, NF_ACCEPT});
  AddChain(batch, {kDnsChain, "nat", NF_INET_LOCAL_OUT, -100, NF_ACCEPT});
  // Redirected datagrams have one of the box's own addresses by then, so the filter drops what has
  // no listener: the sender gets EPERM at once, and a client that tried UDP falls back to TCP.
  AddChain(batch, {kFilterChain, "filter", NF_INET_LOCAL_OUT, 0, NF_DROP});
  AddChain(batch, {kTcpChain, "filter", NF_INET_PRE_ROUTING, -150, NF_DROP});

  // First, because most packets are TCP.
  RuleWriter(batch, kNotrackChain).Meta(NFT_META_L4PROTO, kTcp).Notrack().Verdict(NF_ACCEPT);
  RuleWriter(batch, kFilterChain).Meta(NFT_META_L4PROTO, kTcp).Verdict(NF_ACCEPT);
  // A box's traffic with itself needs no translation, so it gets no conntrack entry either.
  for (const OwnBlock& own : OwnBlocks()) {
    RuleWriter(batch, kNotrackChain).From(own).To(own).Notrack();
    for (const char* chain : {kDnsChain, kFilterChain, kTcpChain})
      RuleWriter(batch, chain).To(own).Verdict(NF_ACCEPT);
  }

  RuleWriter(batch, kTcpChain)
      .Meta(NFT_META_L4PROTO, kTcp)
      .Tproxy(kTcpListenerPort)
      .Verdict(NF_ACCEPT);
  RuleWriter(batch, kTcpChain).Meta(NFT_META_L4PROTO, kTcp).Reset();
  // The nat chain only sees the first packet of a flow.
  RuleWriter(batch, kDnsChain).OverRate(kFlowsPerSecond, kFlowsBurst).Verdict(NF_DROP);
  RuleWriter(batch, kDnsChain)
      .Meta(NFT_META_L4PROTO, kUdp)
      .Payload(NFT_PAYLOAD_TRANSPORT_HEADER, 2, std::string_view("\0\x35", 2))
      .RedirectTo(kDnsListenerPort);
  AddBatchMarker(batch, "end a transaction", NFNL_MSG_BATCH_END);
  RETURN_IF_ERROR(SendNetlink(NETLINK_NETFILTER, batch), "install nft rules");
  return {};
}

}  // namespace viv::network
