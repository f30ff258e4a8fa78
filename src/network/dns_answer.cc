// Answers one DNS question of a box: checks it against the rules, queries the resolvers, removes
// addresses that the box may not reach, and records the names of the others.

#include <algorithm>

#include "base/clock.h"
#include "network/dns_message.h"
#include "network/egress_listener.h"

namespace viv::network {
namespace {

struct QuestionOutcome {
  std::string verdict;  // "refused" or "failed"
  std::string rule = {};
  std::string reason;
};

void LogQuestion(Box& box, const DnsQuestion& question, QuestionOutcome outcome) {
  FlowLog* log = box.loop.limits.flow_log;
  if (log == nullptr || box.box_id.empty()) return;
  FlowRecord record;
  record.at_us = NowMicros();
  record.name = question.text;
  record.port = 53;
  record.protocol = "dns";
  record.rule = std::move(outcome.rule);
  record.verdict = std::move(outcome.verdict);
  record.reason = std::move(outcome.reason);
  log->Append(box.box_id, record);
}

void RefuseQuestion(Box& box, const DnsQuestion& question, std::string rule, std::string reason) {
  box.counters.refused.fetch_add(1, std::memory_order_relaxed);
  LogQuestion(box, question, {"refused", std::move(rule), std::move(reason)});
}

bool HasAddress(const DnsReply& reply) {
  return std::any_of(reply.answers.begin(), reply.answers.end(), [](const DnsRecord& record) {
    return record.type == DnsType::kA || record.type == DnsType::kAaaa;
  });
}

// Programs ask for both kinds of addresses at once. A name that does not exist, or a resolver that
// cannot be reached, is logged once for the two questions.
bool IsLoggedFor(const DnsQuestion& question) {
  return question.type != DnsType::kAaaa;
}

void LogFailure(Box& box, const DnsQuestion& question, std::string reason) {
  if (IsLoggedFor(question)) LogQuestion(box, question, {"failed", "", std::move(reason)});
}

// Logs why a question got no address.
void LogOutcome(Box& box, const DnsQuestion& question, bool had_address, const DnsReply& reply) {
  if (reply.code == DnsCode::kNoName) {
    LogFailure(box, question, "the name does not exist");
  } else if (reply.code != DnsCode::kNoError) {
    LogFailure(box, question,
               "the resolver answered with code " + std::to_string(static_cast<int>(reply.code)) +
                   (reply.code == DnsCode::kServerFailure ? ", server failure" : ""));
  } else if (had_address && !HasAddress(reply) && IsLoggedFor(question)) {
    LogQuestion(
        box, question,
        {"refused", "private", "the name leads only to addresses that are closed to boxes"});
  }
}

// Counts a question of a box while it is being answered.
class QuestionCount {
 public:
  explicit QuestionCount(std::shared_ptr<Box> box) : box_(std::move(box)) { ++box_->questions; }
  ~QuestionCount() { --box_->questions; }
  QuestionCount(const QuestionCount&) = delete;
  QuestionCount& operator=(const QuestionCount&) = delete;

 private:
  std::shared_ptr<Box> box_;
};

bool IsServiceBinding(DnsType type) {
  return type == DnsType::kSvcb || type == DnsType::kHttps;
}

bool MayAnswerWith(const Box& box, const Address& address) {
  if (address.IsMetadata()) return false;
  if (address.IsPrivate() && !box.loop.limits.dial_guard.OpensSomePort(address)) return false;
  // A guest with an IPv6 address on a machine without IPv6 would connect to us and then be reset.
  return address.IsV4() || IsRoutable(address);
}

// Keeps the records that answer the question: those of its name and of its CNAME chain.
std::vector<DnsRecord> RecordsOf(const DnsQuestion& question, std::vector<DnsRecord> records) {
  std::vector<DnsName> chain = {question.name};
  std::erase_if(records, [&](const DnsRecord& record) {
    bool belongs = std::any_of(chain.begin(), chain.end(), [&](const DnsName& name) {
      return SameDnsName(name, record.owner);
    });
    constexpr std::size_t kAliasesMax = 32;
    if (belongs && record.type == DnsType::kCname && chain.size() < kAliasesMax)
      chain.push_back(record.data);
    return !belongs;
  });
  return records;
}

void FilterReply(Box& box, const DnsQuestion& question, DnsReply& reply) {
  auto now = ResolvedNames::Time::clock::now();
  reply.answers = RecordsOf(question, std::move(reply.answers));
  std::erase_if(reply.answers, [&](const DnsRecord& record) {
    if (record.type != DnsType::kA && record.type != DnsType::kAaaa) return false;
    Address address = AddressFromRaw(record.data);
    if (!MayAnswerWith(box, address)) return true;
    box.resolved_names.Add(question.text, address, record.ttl_seconds, now);
    return false;
  });
  // Keeps only the SOA, which says how long a negative answer is valid; NS records could carry
  // addresses.
  std::erase_if(reply.authority,
                [](const DnsRecord& record) { return record.type != DnsType::kSoa; });
}

}  // namespace

Task<std::string> AnswerDns(std::shared_ptr<Box> box, std::string question, std::size_t bytes_max) {
  auto query = ParseDnsQuery(question);
  if (!query) {
    bool kind = query.error().code == ErrorCode::kPermissionDenied;
    co_return WriteDnsFailure(question, kind ? DnsCode::kNotImplemented : DnsCode::kFormError);
  }
  if (bytes_max < kDnsMessageMax) bytes_max = query->udp_max;
  DnsReply refusal;
  Decision decision = box->rules.DecideQuestion(query->question.text);
  if (!decision.allowed) {
    // Not REFUSED, because some clients then wait for a timeout: to this box the name does not
    // exist.
    refusal.code = DnsCode::kNoName;
    RefuseQuestion(*box, query->question, std::move(decision.rule),
                   "the network policy of the box refuses the name");
    co_return WriteDnsReply(*query, refusal, bytes_max);
  }
  // SVCB and HTTPS records contain addresses that are not recorded by name, and the keys with which
  // clients encrypt names. Where names matter, there are none.
  if (box->SniffsConnections() && IsServiceBinding(query->question.type))
    co_return WriteDnsReply(*query, DnsReply(), bytes_max);
  refusal.code = DnsCode::kServerFailure;
  if (box->questions >= kQuestionsPerBoxMax) {
    RefuseQuestion(*box, query->question, "", "too many questions at once");
    co_return WriteDnsReply(*query, refusal, bytes_max);
  }
  QuestionCount count(box);
  auto reply = co_await box->loop.resolver.Resolve(query->question);
  if (!reply) {
    LogFailure(*box, query->question, reply.error().message);
    co_return WriteDnsReply(*query, refusal, bytes_max);
  }
  const bool had_address = HasAddress(*reply);
  FilterReply(*box, query->question, *reply);
  LogOutcome(*box, query->question, had_address, *reply);
  co_return WriteDnsReply(*query, *reply, bytes_max);
}

}  // namespace viv::network
