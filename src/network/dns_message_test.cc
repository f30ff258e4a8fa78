#include "network/dns_message.h"

#include <gtest/gtest.h>

#include "network/dns_name.h"

namespace viv::network {
namespace {

DnsQuestion MakeQuestion(std::string_view text, DnsType type = DnsType::kA) {
  return {*DnsNameFromText(text), type, std::string(text)};
}

std::string QueryBytes(std::string_view text, DnsType type = DnsType::kA) {
  return WriteDnsQuery(0x1234, MakeQuestion(text, type));
}

// A message from its header fields and the bytes that follow.
std::string RawMessage(std::initializer_list<std::uint16_t> header, std::string_view rest) {
  DnsWriter writer;
  for (std::uint16_t field : header) writer.Short(field);
  writer.Bytes(rest);
  return writer.Take();
}

using namespace std::string_literals;

TEST(DnsMessageTest, ReadsAQuestion) {
  auto query = ParseDnsQuery(QueryBytes("WWW.Example.com", DnsType::kAaaa));
  ASSERT_TRUE(query.has_value()) << query.error().message;
  EXPECT_EQ(query->id, 0x1234);
  EXPECT_EQ(query->question.text, "www.example.com");
  EXPECT_EQ(query->question.type, DnsType::kAaaa);
  EXPECT_TRUE(query->recursion);
  EXPECT_TRUE(query->edns);
  EXPECT_EQ(query->udp_max, kDnsUdpMax);
}

TEST(DnsMessageTest, APlainClientGetsAtMost512Bytes) {
  std::string plain = RawMessage({7, 0x0100, 1, 0, 0, 0}, "\3www\1x\0\0\1\0\1"s);
  auto query = ParseDnsQuery(plain);
  ASSERT_TRUE(query.has_value()) << query.error().message;
  EXPECT_FALSE(query->edns);
  EXPECT_EQ(query->udp_max, kDnsUdpPlain);
}

TEST(DnsMessageTest, RefusesMalformedQuestions) {
  const std::string good = "\1x\0\0\1\0\1"s;
  for (const std::string& bytes : {
           ""s,
           "\0\1"s,
           RawMessage({1, 0x8000, 1, 0, 0, 0}, good),            // an answer
           RawMessage({1, 0, 0, 0, 0, 0}, ""),                   // no question
           RawMessage({1, 0, 2, 0, 0, 0}, good + good),          // two
           RawMessage({1, 0, 1, 1, 0, 0}, good),                 // an answer section
           RawMessage({1, 0, 1, 0, 0, 1}, good),                 // a missing record
           RawMessage({1, 0, 1, 0, 0, 65535}, good),             // very many
           RawMessage({1, 0, 1, 0, 0, 0}, good + "x"),           // bytes at the end
           RawMessage({1, 0, 1, 0, 0, 0}, "\1x\0\0\1\0"s),       // cut off
           RawMessage({1, 0, 1, 0, 0, 0}, "\5x\0\0\1\0\1"s),     // a label beyond the end
           RawMessage({1, 0, 1, 0, 0, 0}, "\xc0\x0c\0\1\0\1"s),  // a pointer to itself
           RawMessage({1, 0, 1, 0, 0, 0}, "\xc0\xff\0\1\0\1"s),  // a pointer forwards
           RawMessage({1, 0, 1, 0, 0, 0}, "\x40x\0\0\1\0\1"s),   // a reserved label type
           RawMessage({1, 0, 1, 0, 0, 0}, std::string(300, '\1')),
       }) {
    auto query = ParseDnsQuery(bytes);
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().code, ErrorCode::kInvalidArgument) << query.error().message;
  }
}

TEST(DnsMessageTest, ANameIsAtMost255Bytes) {
  std::string label = "\x3f" + std::string(63, 'a');
  std::string longest = label + label + label + "\x3d" + std::string(61, 'a') + "\0"s;
  ASSERT_EQ(longest.size(), 255U);
  EXPECT_TRUE(ParseDnsQuery(RawMessage({1, 0, 1, 0, 0, 0}, longest + "\0\1\0\1"s)));
  std::string over = label + label + label + "\x3e" + std::string(62, 'a') + "\0"s;
  EXPECT_FALSE(ParseDnsQuery(RawMessage({1, 0, 1, 0, 0, 0}, over + "\0\1\0\1"s)));
}

TEST(DnsMessageTest, DoesNotServeOtherKindsOfQuestions) {
  for (const std::string& bytes : {
           RawMessage({1, 0, 1, 0, 0, 0}, "\1x\0\0\1\0\3"s),        // class CH
           RawMessage({1, 0, 1, 0, 0, 0}, "\1x\0\0\xff\0\1"s),      // ANY
           RawMessage({1, 0, 1, 0, 0, 0}, "\1x\0\0\xfc\0\1"s),      // a zone transfer
           RawMessage({1, 0x2800, 1, 0, 0, 0}, "\1x\0\0\1\0\1"s),   // an update
           RawMessage({1, 0, 1, 0, 0, 0}, "\0\0\1\0\1"s),           // the root
           RawMessage({1, 0, 1, 0, 0, 0}, "\3a.b\1c\0\0\1\0\1"s),   // a dot within a label
           RawMessage({1, 0, 1, 0, 0, 0}, "\3a\0b\1c\0\0\1\0\1"s),  // a zero within a label
           RawMessage({1, 0, 1, 0, 0, 0}, "\2\xc3\xa4\1c\0\0\1\0\1"s),
       }) {
    auto query = ParseDnsQuery(bytes);
    ASSERT_FALSE(query);
    EXPECT_EQ(query.error().code, ErrorCode::kPermissionDenied) << query.error().message;
    EXPECT_FALSE(WriteDnsFailure(bytes, DnsCode::kNotImplemented).empty());
  }
}

TEST(DnsMessageTest, ReadsWhatItWrites) {
  auto query = ParseDnsQuery(QueryBytes("www.example.com"));
  ASSERT_TRUE(query.has_value());
  DnsReply reply;
  DnsName alias = *DnsNameFromText("edge.cdn.net");
  reply.answers = {{query->question.name, DnsType::kCname, 60, alias},
                   {alias, DnsType::kA, 30, "\x01\x02\x03\x04"},
                   {alias, DnsType::kMx, 30, "\0\5"s + alias}};
  std::string bytes = WriteDnsReply(*query, reply, kDnsUdpMax);
  auto read = ParseDnsReply(bytes);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->id, 0x1234);
  EXPECT_EQ(read->question.text, "www.example.com");
  ASSERT_EQ(read->answers.size(), 3U);
  EXPECT_EQ(read->answers[0].data, alias);
  EXPECT_EQ(read->answers[1].owner, alias);
  EXPECT_EQ(read->answers[1].data, "\x01\x02\x03\x04");
  EXPECT_EQ(read->answers[1].ttl_seconds, 30U);
  EXPECT_EQ(read->answers[2].data, "\0\5"s + alias);
}

TEST(DnsMessageTest, UndoesCompressionInData) {
  // www.x CNAME c.x, and x SOA ns.x m.x …, all written with pointers.
  std::string bytes = RawMessage({9, 0x8180, 1, 1, 1, 0},
                                 "\3www\1x\0\0\1\0\1"
                                 "\xc0\x0c\0\5\0\1\0\0\0\x3c\0\4\1c\xc0\x10"
                                 "\xc0\x10\0\6\0\1\0\0\0\x3c\0\x1d\2ns\xc0\x10\1m\xc0\x10"
                                 "12345678901234567890"s);
  auto reply = ParseDnsReply(bytes);
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->answers.at(0).data, *DnsNameFromText("c.x"));
  EXPECT_EQ(reply->authority.at(0).data,
            *DnsNameFromText("ns.x") + *DnsNameFromText("m.x") + "12345678901234567890");
}

TEST(DnsMessageTest, RefusesBrokenAnswers) {
  const std::string question = "\1x\0\0\1\0\1"s;
  for (const std::string& rest : {
           "\xc0\x0c\0\1\0\1\0\0\0\1\0\3\1\2\3"s,      // an address of three bytes
           "\xc0\x0c\0\x1c\0\1\0\0\0\1\0\4\1\2\3\4"s,  // an IPv6 address of four
           "\xc0\x0c\0\1\0\1\0\0\0\1\0\4\1\2"s,        // cut off
           "\xc0\x0c\0\5\0\1\0\0\0\1\0\2\1y\0"s,       // a name beyond its data
           "\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1y\0z"s,      // data beyond its name
           "\xc0\x0c\0\5\0\1\0\0\0\1\0\2\xc0\x20"s,    // a pointer forwards
       }) {
    EXPECT_FALSE(ParseDnsReply(RawMessage({9, 0x8180, 1, 1, 0, 0}, question + rest)));
  }
  EXPECT_FALSE(ParseDnsReply(RawMessage({9, 0x8180, 1, 60000, 0, 0}, question)));
  EXPECT_FALSE(ParseDnsReply(RawMessage({9, 0x0180, 1, 0, 0, 0}, question)));
}

TEST(DnsMessageTest, WhatDoesNotFitIsTruncated) {
  auto query = ParseDnsQuery(QueryBytes("many.example.com"));
  ASSERT_TRUE(query.has_value());
  DnsReply reply;
  for (int i = 0; i < 200; ++i)
    reply.answers.push_back({query->question.name, DnsType::kA, 60, "\x01\x02\x03\x04"});
  for (std::size_t limit : {kDnsUdpPlain, kDnsUdpMax}) {
    std::string bytes = WriteDnsReply(*query, reply, limit);
    EXPECT_LE(bytes.size(), limit);
    EXPECT_TRUE(ParseDnsReply(bytes)->truncated);
  }
  auto whole = ParseDnsReply(WriteDnsReply(*query, reply, kDnsMessageMax));
  ASSERT_TRUE(whole.has_value());
  EXPECT_FALSE(whole->truncated);
  EXPECT_EQ(whole->answers.size(), 200U);
}

TEST(DnsMessageTest, AFailureRepeatsTheQuestion) {
  std::string failure = WriteDnsFailure(QueryBytes("x.org"), DnsCode::kServerFailure);
  auto reply = ParseDnsReply(failure);
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->id, 0x1234);
  EXPECT_EQ(reply->code, DnsCode::kServerFailure);
  EXPECT_EQ(reply->question.text, "x.org");
  EXPECT_EQ(WriteDnsFailure("short", DnsCode::kFormError), "");
  EXPECT_EQ(WriteDnsFailure(failure, DnsCode::kFormError), "");  // never an answer to an answer
}

}  // namespace
}  // namespace viv::network
