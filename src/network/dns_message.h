#pragma once
// DNS messages as a forwarder needs them: a guest's question read strictly, a resolver's answer
// read into records without compression, and both written again from what was understood. Nothing
// of the bytes that came in goes out unread, but the data of record types that hold no names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::network {

constexpr std::size_t kDnsMessageMax = 65'535;
constexpr std::size_t kDnsUdpPlain = 512;  // what a client takes that does not say more
constexpr std::size_t kDnsUdpMax = 1'232;  // what passes any path unfragmented

enum class DnsType : std::uint16_t {
  kA = 1,
  kNs = 2,
  kCname = 5,
  kSoa = 6,
  kPtr = 12,
  kMx = 15,
  kAaaa = 28,
  kSrv = 33,
  kDname = 39,
  kOpt = 41,
  kSvcb = 64,
  kHttps = 65
};

enum class DnsCode : std::uint8_t {
  kNoError = 0,
  kFormError = 1,
  kServerFailure = 2,
  kNoName = 3,
  kNotImplemented = 4,
  kRefused = 5
};

// A name as in a message, uncompressed, its case kept; never longer than 255 bytes.
using DnsName = std::string;
bool SameDnsName(const DnsName& a, const DnsName& b);  // case aside

struct DnsQuestion {
  DnsName name;
  DnsType type = DnsType::kA;
  std::string text;  // the name in lower case with dots; letters, digits, '-' and '_' only
};

struct DnsQuery {
  std::uint16_t id = 0;
  DnsQuestion question;
  bool recursion = false;
  bool edns = false;
  std::size_t udp_max = kDnsUdpPlain;  // how long a datagram its sender takes
};

struct DnsRecord {
  DnsName owner;
  DnsType type = DnsType::kA;
  std::uint32_t ttl_seconds = 0;
  std::string data;  // names in it are uncompressed
};

struct DnsReply {
  std::uint16_t id = 0;
  DnsCode code = DnsCode::kNoError;
  bool truncated = false;
  DnsQuestion question;
  std::vector<DnsRecord> answers, authority;
};

// One question of class IN. kInvalidArgument: malformed; kPermissionDenied: well-formed, but of a
// kind that is not served.
Result<DnsQuery> ParseDnsQuery(std::string_view bytes);
Result<DnsReply> ParseDnsReply(std::string_view bytes);

std::string WriteDnsQuery(std::uint16_t id, const DnsQuestion& question);
// At most `bytes_max` long: what does not fit is left out and the answer marked as truncated.
std::string WriteDnsReply(const DnsQuery& query, const DnsReply& reply, std::size_t bytes_max);
// An answer to bytes that may not even be a question; empty when they deserve none.
std::string WriteDnsFailure(std::string_view question_bytes, DnsCode code);

}  // namespace viv::network
