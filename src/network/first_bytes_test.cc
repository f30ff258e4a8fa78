#include "network/first_bytes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "network/client_hello_test_support.h"

namespace viv::network {
namespace {

using Kind = FirstBytes::Kind;

std::string RecordedFirstBytes(const std::string& name) {
  std::ifstream file(std::string(VIV_SOURCE_DIR) + "/tests/fuzz/corpus/network_first_bytes/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Kind KindOfFirstBytes(std::string_view bytes) {
  return ParseFirstBytes(bytes).kind;
}

TEST(TlsFirstBytesTest, ReadsWhatRealClientsSend) {
  FirstBytes curl = ParseFirstBytes(RecordedFirstBytes("tls_curl_h2"));
  EXPECT_EQ(curl.kind, Kind::kTls);
  EXPECT_EQ(curl.host, "api.example.com");
  EXPECT_TRUE(curl.offers_http2);
  EXPECT_FALSE(curl.has_encrypted_name);
  FirstBytes split = ParseFirstBytes(RecordedFirstBytes("tls_split"));
  EXPECT_EQ(split.kind, Kind::kTls);
  EXPECT_EQ(split.host, "api.example.com");
  EXPECT_FALSE(split.offers_http2);
  FirstBytes nameless = ParseFirstBytes(RecordedFirstBytes("tls_openssl_no_sni"));
  EXPECT_EQ(nameless.kind, Kind::kTls);
  EXPECT_EQ(nameless.host, "");
}

TEST(TlsFirstBytesTest, WaitsForTheLastByteHoweverItIsCut) {
  for (std::size_t record_bytes : {1, 3, 4, 5, 50, 16'384}) {
    std::string bytes = InTlsRecords(
        ClientHelloMessage(ClientHelloBody(ServerNameExtension("a.example"))), record_bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_EQ(KindOfFirstBytes(std::string_view(bytes).substr(0, size)), Kind::kNeedsMore)
          << record_bytes << " " << size;
    EXPECT_EQ(ParseFirstBytes(bytes).host, "a.example");
    EXPECT_EQ(ParseFirstBytes(bytes + "\x14\x03\x03\x01\x01 and early data").host, "a.example");
  }
}

TEST(TlsFirstBytesTest, NamesAreInLowerCaseWithoutATrailingDot) {
  EXPECT_EQ(ParseFirstBytes(ClientHelloFor("API.Example.COM.")).host, "api.example.com");
  EXPECT_EQ(ParseFirstBytes(ClientHelloFor("_x.a-b.org")).host, "_x.a-b.org");
}

TEST(TlsFirstBytesTest, WhatIsNoHostNameIsMalformed) {
  for (std::string_view name :
       {"", ".", "a..b", "1.2.3.4", "::1", "a b", "-a.com", "a.com:443", "a/b", "a@b", "*.a.com"})
    EXPECT_EQ(KindOfFirstBytes(ClientHelloFor(name)), Kind::kMalformed) << name;
  EXPECT_EQ(KindOfFirstBytes(ClientHelloFor(std::string("a.com\0.evil.com", 15))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloFor(std::string(254, 'a'))), Kind::kMalformed);
}

TEST(TlsFirstBytesTest, ThereIsOneNameAtMost) {
  std::string one = std::string(1, '\0') + LengthPrefixed("a.example", 2);
  std::string other = std::string(1, '\0') + LengthPrefixed("b.example", 2);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(0, LengthPrefixed(one + other, 2)))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(0, LengthPrefixed(one, 2)) +
                                             Extension(0, LengthPrefixed(other, 2)))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(0, LengthPrefixed("", 2)))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(0, ""))), Kind::kMalformed);
  // A name of another type, and bytes after the list.
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(
                Extension(0, LengthPrefixed("\x01" + LengthPrefixed("a.example", 2), 2)))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(0, LengthPrefixed(one, 2) + "x"))),
            Kind::kMalformed);
}

TEST(TlsFirstBytesTest, SeesThatANameIsEncrypted) {
  for (std::size_t type : {0xfe0d, 0xfe0a, 0xffce}) {
    FirstBytes first_bytes = ParseFirstBytes(
        ClientHelloWith(ServerNameExtension("front.example") + Extension(type, "hidden")));
    EXPECT_EQ(first_bytes.kind, Kind::kTls);
    EXPECT_TRUE(first_bytes.has_encrypted_name);
    EXPECT_EQ(first_bytes.host, "front.example");
  }
  EXPECT_FALSE(ParseFirstBytes(ClientHelloWith(Extension(0xfe0e, "x"))).has_encrypted_name);
}

TEST(TlsFirstBytesTest, SeesWhetherHttp2IsOffered) {
  std::string both = LengthPrefixed(LengthPrefixed("http/1.1", 1) + LengthPrefixed("h2", 1), 2);
  EXPECT_TRUE(ParseFirstBytes(ClientHelloWith(Extension(16, both))).offers_http2);
  EXPECT_FALSE(
      ParseFirstBytes(ClientHelloWith(Extension(16, LengthPrefixed(LengthPrefixed("h2c", 1), 2))))
          .offers_http2);
  for (const std::string& bad :
       {LengthPrefixed("", 2), LengthPrefixed(LengthPrefixed("", 1), 2),
        LengthPrefixed("\x05h2", 2), LengthPrefixed(LengthPrefixed("h2", 1), 2) + "x",
        std::string("h")})
    EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(16, bad))), Kind::kMalformed);
}

TEST(TlsFirstBytesTest, LengthsThatDoNotFitAreMalformed) {
  std::string extensions = ServerNameExtension("a.example");
  std::string body = ClientHelloBody(extensions);
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords(ClientHelloMessage(body + "x"))), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords(ClientHelloMessage(body.substr(0, body.size() - 1)))),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords(ClientHelloMessage(body) + "x")), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords(ClientHelloMessage(""))), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(extensions + "abc")), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(9, "").substr(0, 3) + "\xff")),
            Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(std::string("\x16\x03\x01\x00\x00", 5)), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes("\x16\x03\x01\x40\x01"), Kind::kMalformed);
  // A message that claims to be longer than the limit.
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords(std::string("\x01\xff\xff\xff", 4))), Kind::kMalformed);
}

TEST(TlsFirstBytesTest, OtherRecordsAndMessagesAreMalformed) {
  std::string message = ClientHelloMessage(ClientHelloBody(""));
  EXPECT_EQ(KindOfFirstBytes(InTlsRecords("\x02" + message.substr(1))), Kind::kMalformed);
  std::string alert_between = InTlsRecords(message.substr(0, 20)) + "\x15\x03\x01" +
                              LengthPrefixed("xx", 2) + InTlsRecords(message.substr(20));
  EXPECT_EQ(KindOfFirstBytes(alert_between), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes("\x16\x03\x05"), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes("\x16\x02"), Kind::kOther);
}

TEST(TlsFirstBytesTest, AnOldClientHelloHasNoExtensions) {
  std::string body = ClientHelloBody("");
  FirstBytes first_bytes =
      ParseFirstBytes(InTlsRecords(ClientHelloMessage(body.substr(0, body.size() - 2))));
  EXPECT_EQ(first_bytes.kind, Kind::kTls);
  EXPECT_EQ(first_bytes.host, "");
}

TEST(TlsFirstBytesTest, RepeatedAndCountlessExtensionsAreMalformed) {
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(Extension(10, "a") + Extension(10, "b"))),
            Kind::kMalformed);
  std::string many;
  for (std::size_t i = 0; i < 300; ++i) many += Extension(1000 + i, "");
  EXPECT_EQ(KindOfFirstBytes(ClientHelloWith(many)), Kind::kMalformed);
}

TEST(HttpFirstBytesTest, ReadsWhatRealClientsSend) {
  for (const char* name : {"http_curl", "http_connect"}) {
    FirstBytes first_bytes = ParseFirstBytes(RecordedFirstBytes(name));
    EXPECT_EQ(first_bytes.kind, Kind::kHttp) << name;
    EXPECT_EQ(first_bytes.host, "api.example.com") << name;
  }
  EXPECT_EQ(ParseFirstBytes(RecordedFirstBytes("http2_prior")).kind, Kind::kHttp2);
}

TEST(HttpFirstBytesTest, WaitsForTheWholeHead) {
  std::string head = "GET / HTTP/1.1\r\nAccept: */*\r\nHost: a.example\r\n\r\n";
  for (std::size_t size = 0; size < head.size(); ++size)
    ASSERT_EQ(KindOfFirstBytes(head.substr(0, size)), Kind::kNeedsMore) << size;
  EXPECT_EQ(ParseFirstBytes(head).host, "a.example");
  EXPECT_EQ(ParseFirstBytes(head + "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n").host, "a.example");
}

TEST(HttpFirstBytesTest, FindsTheHostInEveryForm) {
  auto host = [](std::string_view line, std::string_view headers) {
    FirstBytes first_bytes =
        ParseFirstBytes(std::string(line) + "\r\n" + std::string(headers) + "\r\n");
    EXPECT_EQ(first_bytes.kind, Kind::kHttp) << line;
    return first_bytes.host;
  };
  EXPECT_EQ(host("GET / HTTP/1.1", "host:\t A.Example.:8080 \r\n"), "a.example");
  EXPECT_EQ(host("GET / HTTP/1.1", "Host: 192.0.2.1:80\r\n"), "192.0.2.1");
  EXPECT_EQ(host("GET / HTTP/1.1", "Host: [2001:DB8::1]:80\r\n"), "2001:db8::1");
  EXPECT_EQ(host("OPTIONS * HTTP/1.1", "Host: a.example\r\n"), "a.example");
  EXPECT_EQ(host("GET http://a.example:80/x HTTP/1.1", "Host: a.example\r\n"), "a.example");
  EXPECT_EQ(host("GET HTTP://a.example?q HTTP/1.0", ""), "a.example");
  EXPECT_EQ(host("CONNECT a.example:443 HTTP/1.0", ""), "a.example");
  EXPECT_EQ(host("x-custom / HTTP/1.1", "Host: a.example\r\n"), "a.example");
  EXPECT_EQ(host("GET / HTTP/1.0", "Accept: x\r\n"), "");
}

TEST(HttpFirstBytesTest, AmbiguousHeadsAreMalformed) {
  const std::string get = "GET / HTTP/1.1\r\n", host = "Host: a.example\r\n";
  for (const std::string& head : {get + host + "Host: b.example\r\n\r\n",
                                  get + host + "host: a.example\r\n\r\n",
                                  get + "Accept: x\r\n\r\n",
                                  get + host + " folded\r\n\r\n",
                                  get + host + "\tfolded\r\n\r\n",
                                  get + "Host : a.example\r\n\r\n",
                                  get + " Host: a.example\r\n\r\n",
                                  get + host + "X: a\nHost: b.example\r\n\r\n",
                                  get + host + "X: a\rb\r\n\r\n",
                                  get + "X: a\nHost: a.example\n\n\r\nHost: b.example\r\n\r\n",
                                  get + host + std::string("X: a\0b\r\n\r\n", 10),
                                  get + host + "no colon\r\n\r\n",
                                  get + host + ": empty\r\n\r\n",
                                  get + "Host: a.example, b.example\r\n\r\n",
                                  get + "Host: a.example b.example\r\n\r\n",
                                  get + "Host: u@a.example\r\n\r\n",
                                  get + "Host: a.example:x\r\n\r\n",
                                  get + "Host: a.example:80:80\r\n\r\n",
                                  get + "Host: \r\n\r\n",
                                  get + "Host: [::1\r\n\r\n",
                                  get + "Host: [a.example]\r\n\r\n",
                                  get + "Host: a.example/x\r\n\r\n",
                                  "GET / HTTP/1.1\n" + host + "\n",
                                  "GET  / HTTP/1.1\r\n" + host + "\r\n",
                                  "GET / HTTP/1.1 \r\n" + host + "\r\n",
                                  "GET\t/ HTTP/1.1\r\n" + host + "\r\n",
                                  " GET / HTTP/1.1\r\n" + host + "\r\n",
                                  "\r\nGET / HTTP/1.1\r\n" + host + "\r\n",
                                  "GET / http/1.1\r\n" + host + "\r\n",
                                  "GET / HTTP/1.2\r\n" + host + "\r\n",
                                  "GET / HTTP/2.0\r\n" + host + "\r\n",
                                  "GET http://b.example/ HTTP/1.1\r\n" + host + "\r\n",
                                  "GET ftp://a.example/ HTTP/1.1\r\n" + host + "\r\n",
                                  "GET a.example HTTP/1.1\r\n" + host + "\r\n",
                                  "GET http HTTP/1.1\r\n" + host + "\r\n",
                                  "GET * HTTP/1.1\r\n" + host + "\r\n",
                                  "GET http://u@b.example/ HTTP/1.1\r\n" + host + "\r\n",
                                  "CONNECT b.example:443 HTTP/1.1\r\n" + host + "\r\n",
                                  "CONNECT / HTTP/1.1\r\n" + host + "\r\n",
                                  std::string("GET http://a.example/\r\n"),
                                  std::string("get /\n"),
                                  std::string("PRI * HTTP/2.0\r\n\r\nXX"),
                                  "PRI /x HTTP/1.1\r\n" + host + "\r\n",
                                  get.substr(0, 5) + std::string("\x01 x"),
                                  "GET / HTTP/1.1\rHost: b.example\r\r\n" + host + "\r\n"})
    EXPECT_EQ(KindOfFirstBytes(head), Kind::kMalformed) << head;
}

TEST(HttpFirstBytesTest, AnEndlessHeadIsMalformed) {
  std::string head = "GET / HTTP/1.1\r\nHost: a.example\r\nX: ";
  head.resize(kFirstBytesMax - 1, 'x');
  EXPECT_EQ(KindOfFirstBytes(head), Kind::kNeedsMore);
  EXPECT_EQ(KindOfFirstBytes(head + "x"), Kind::kMalformed);
  EXPECT_EQ(KindOfFirstBytes(std::string(kFirstBytesMax, '\n')), Kind::kMalformed);
}

TEST(OtherFirstBytesTest, OtherProtocolsAreToldApartAsEarlyAsTheyCan) {
  EXPECT_EQ(KindOfFirstBytes(""), Kind::kNeedsMore);
  for (std::string_view bytes :
       {std::string_view("\0", 1), std::string_view("\x05\x01"), std::string_view("\x80\x2e\x01"),
        std::string_view("{\"id\":1"), std::string_view("<?xml"), std::string_view("@RSYNCD"),
        std::string_view("AMQP\0", 5), std::string_view("SSH-2.0-OpenSSH_9.2 Debian-2\r\n"),
        std::string_view("EHLO a.example\r\n"), std::string_view("*1\r\n$4\r\nPING\r\n"),
        std::string_view("CONNECT {\"verbose\":false}\r\n"), std::string_view("\x15\x03\x01"),
        std::string_view("0032git-upload-pack /x\0host", 27),
        std::string_view("OPTIONS rtsp://a RTSP/1.0\r\n"), std::string_view("caf\xc3\xa9")})
    EXPECT_EQ(KindOfFirstBytes(bytes), Kind::kOther) << bytes;
}

TEST(OtherFirstBytesTest, AnEndDecidesWhatWasOpen) {
  EXPECT_EQ(ParseFirstBytesAtEof("").kind, Kind::kOther);
  EXPECT_EQ(ParseFirstBytesAtEof("\r\n").kind, Kind::kOther);
  EXPECT_EQ(ParseFirstBytesAtEof("PING").kind, Kind::kOther);
  EXPECT_EQ(ParseFirstBytesAtEof("GET /").kind, Kind::kMalformed);
  EXPECT_EQ(ParseFirstBytesAtEof("POST / HTTP/1.1").kind, Kind::kMalformed);
  EXPECT_EQ(ParseFirstBytesAtEof("POST / HTTP/1.1\r\nHost: a.example\r\n").kind, Kind::kMalformed);
  EXPECT_EQ(ParseFirstBytesAtEof(ClientHelloFor("a.example").substr(0, 9)).kind, Kind::kMalformed);
  EXPECT_EQ(ParseFirstBytesAtEof(ClientHelloFor("a.example")).host, "a.example");
}

}  // namespace
}  // namespace viv::network
