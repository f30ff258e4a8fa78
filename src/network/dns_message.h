#pragma once
// DNS messages as a forwarder needs them. A guest's question is parsed strictly, a resolver's
// answer is parsed into records without compression, and both are written anew from the parsed
// form. No unparsed bytes are forwarded, except the data of record types that contain no names.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::network {

constexpr std::size_t kDnsMessageMax = 65'535;
constexpr std::size_t kDnsUdpPlain = 512;  // the limit of a client that does not announce one
constexpr std::size_t kDnsUdpMax = 1'232;  // a size that is not fragmented on any path

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

// A name in wire format, uncompressed, in its original case; at most 255 bytes.
using DnsName = std::string;
bool SameDnsName(const DnsName& a, const DnsName& b);  // ignores case

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
  std::size_t udp_max = kDnsUdpPlain;  // the longest datagram that its sender accepts
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

// Parses one question of class IN. kInvalidArgument: it is malformed. kPermissionDenied: it is
// well-formed, but of a kind that is not served.
Result<DnsQuery> ParseDnsQuery(std::string_view bytes);
Result<DnsReply> ParseDnsReply(std::string_view bytes);

std::string WriteDnsQuery(std::uint16_t id, const DnsQuestion& question);
// Writes at most `bytes_max` bytes. Records that do not fit are left out and the reply is marked as
// truncated.
std::string WriteDnsReply(const DnsQuery& query, const DnsReply& reply, std::size_t bytes_max);
// An error reply to bytes that may not even be a question; empty if they get no reply.
std::string WriteDnsFailure(std::string_view question_bytes, DnsCode code);

}  // namespace viv::network
