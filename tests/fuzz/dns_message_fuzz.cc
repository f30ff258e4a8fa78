// DNS messages from a guest and from a resolver: whatever they hold, reading them is safe, and what
// was understood can be written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz_target.h"
#include "network/dns_message.h"

using namespace viv::network;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void WriteAndReadAgain(const DnsQuery& query, const DnsReply& reply) {
  for (std::size_t limit : {kDnsUdpPlain, kDnsMessageMax}) {
    std::string bytes = WriteDnsReply(query, reply, limit);
    Require(bytes.size() <= limit);
    auto again = ParseDnsReply(bytes);
    Require(again.has_value());
    Require(SameDnsName(again->question.name, query.question.name));
    Require(again->truncated || again->answers.size() == reply.answers.size());
    for (std::size_t i = 0; i < again->answers.size(); ++i)
      Require(again->answers[i].type == reply.answers[i].type &&
              SameDnsName(again->answers[i].owner, reply.answers[i].owner));
  }
}

}  // namespace

FUZZ_TARGET(dns_message)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (auto query = ParseDnsQuery(bytes)) {
    Require(!query->question.text.empty() && query->question.text.size() <= 253);
    auto again = ParseDnsQuery(WriteDnsQuery(query->id, query->question));
    Require(again && again->question.text == query->question.text);
    WriteAndReadAgain(*query, {});
  }
  if (auto reply = ParseDnsReply(bytes); reply && !reply->truncated) {
    DnsQuery query;
    query.id = reply->id;
    query.question = reply->question;
    query.edns = (reply->id & 1) != 0;
    WriteAndReadAgain(query, *reply);
  }
  (void)WriteDnsFailure(bytes, DnsCode::kFormError);
  return 0;
}
