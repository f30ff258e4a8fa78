#include "network/opening.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "network/hello_test_support.h"

namespace viv::network {
namespace {

using Kind = Opening::Kind;

std::string RecordedOpening(const std::string& name) {
  std::ifstream file(std::string(VIV_SOURCE_DIR) + "/tests/fuzz/corpus/network_opening/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Kind KindOfOpening(std::string_view bytes) {
  return ReadOpening(bytes).kind;
}

TEST(TlsOpeningTest, ReadsWhatRealClientsSend) {
  Opening curl = ReadOpening(RecordedOpening("tls_curl_h2"));
  EXPECT_EQ(curl.kind, Kind::kTls);
  EXPECT_EQ(curl.host, "api.example.com");
  EXPECT_TRUE(curl.offers_http2);
  EXPECT_FALSE(curl.hides_its_name);
  Opening split = ReadOpening(RecordedOpening("tls_split"));
  EXPECT_EQ(split.kind, Kind::kTls);
  EXPECT_EQ(split.host, "api.example.com");
  EXPECT_FALSE(split.offers_http2);
  Opening nameless = ReadOpening(RecordedOpening("tls_openssl_no_sni"));
  EXPECT_EQ(nameless.kind, Kind::kTls);
  EXPECT_EQ(nameless.host, "");
}

TEST(TlsOpeningTest, WaitsForTheLastByteHoweverItIsCut) {
  for (std::size_t record_bytes : {1, 3, 4, 5, 50, 16'384}) {
    std::string bytes =
        InRecords(HelloMessage(HelloBody(ServerNameExtension("a.example"))), record_bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_EQ(KindOfOpening(std::string_view(bytes).substr(0, size)), Kind::kNeedsMore)
          << record_bytes << " " << size;
    EXPECT_EQ(ReadOpening(bytes).host, "a.example");
    EXPECT_EQ(ReadOpening(bytes + "\x14\x03\x03\x01\x01 and early data").host, "a.example");
  }
}

TEST(TlsOpeningTest, NamesAreInLowerCaseWithoutATrailingDot) {
  EXPECT_EQ(ReadOpening(HelloFor("API.Example.COM.")).host, "api.example.com");
  EXPECT_EQ(ReadOpening(HelloFor("_x.a-b.org")).host, "_x.a-b.org");
}

TEST(TlsOpeningTest, WhatIsNoHostNameIsBroken) {
  for (std::string_view name :
       {"", ".", "a..b", "1.2.3.4", "::1", "a b", "-a.com", "a.com:443", "a/b", "a@b", "*.a.com"})
    EXPECT_EQ(KindOfOpening(HelloFor(name)), Kind::kBroken) << name;
  EXPECT_EQ(KindOfOpening(HelloFor(std::string("a.com\0.evil.com", 15))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloFor(std::string(254, 'a'))), Kind::kBroken);
}

TEST(TlsOpeningTest, ThereIsOneNameAtMost) {
  std::string one = std::string(1, '\0') + Sized("a.example", 2);
  std::string other = std::string(1, '\0') + Sized("b.example", 2);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, Sized(one + other, 2)))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, Sized(one, 2)) + Extension(0, Sized(other, 2)))),
            Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, Sized("", 2)))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, ""))), Kind::kBroken);
  // A name of another type, and bytes after the list.
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, Sized("\x01" + Sized("a.example", 2), 2)))),
            Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(0, Sized(one, 2) + "x"))), Kind::kBroken);
}

TEST(TlsOpeningTest, SeesThatANameIsHidden) {
  for (std::size_t type : {0xfe0d, 0xfe0a, 0xffce}) {
    Opening opening =
        ReadOpening(HelloWith(ServerNameExtension("front.example") + Extension(type, "hidden")));
    EXPECT_EQ(opening.kind, Kind::kTls);
    EXPECT_TRUE(opening.hides_its_name);
    EXPECT_EQ(opening.host, "front.example");
  }
  EXPECT_FALSE(ReadOpening(HelloWith(Extension(0xfe0e, "x"))).hides_its_name);
}

TEST(TlsOpeningTest, SeesWhetherHttp2IsOffered) {
  std::string both = Sized(Sized("http/1.1", 1) + Sized("h2", 1), 2);
  EXPECT_TRUE(ReadOpening(HelloWith(Extension(16, both))).offers_http2);
  EXPECT_FALSE(ReadOpening(HelloWith(Extension(16, Sized(Sized("h2c", 1), 2)))).offers_http2);
  for (const std::string& bad : {Sized("", 2), Sized(Sized("", 1), 2), Sized("\x05h2", 2),
                                 Sized(Sized("h2", 1), 2) + "x", std::string("h")})
    EXPECT_EQ(KindOfOpening(HelloWith(Extension(16, bad))), Kind::kBroken);
}

TEST(TlsOpeningTest, LengthsThatDoNotFitAreBroken) {
  std::string extensions = ServerNameExtension("a.example");
  std::string body = HelloBody(extensions);
  EXPECT_EQ(KindOfOpening(InRecords(HelloMessage(body + "x"))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(InRecords(HelloMessage(body.substr(0, body.size() - 1)))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(InRecords(HelloMessage(body) + "x")), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(InRecords(HelloMessage(""))), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(extensions + "abc")), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(9, "").substr(0, 3) + "\xff")), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(std::string("\x16\x03\x01\x00\x00", 5)), Kind::kBroken);
  EXPECT_EQ(KindOfOpening("\x16\x03\x01\x40\x01"), Kind::kBroken);
  // A message that says it is longer than any we would wait for.
  EXPECT_EQ(KindOfOpening(InRecords(std::string("\x01\xff\xff\xff", 4))), Kind::kBroken);
}

TEST(TlsOpeningTest, OtherRecordsAndMessagesAreBroken) {
  std::string message = HelloMessage(HelloBody(""));
  EXPECT_EQ(KindOfOpening(InRecords("\x02" + message.substr(1))), Kind::kBroken);
  std::string alert_between = InRecords(message.substr(0, 20)) + "\x15\x03\x01" + Sized("xx", 2) +
                              InRecords(message.substr(20));
  EXPECT_EQ(KindOfOpening(alert_between), Kind::kBroken);
  EXPECT_EQ(KindOfOpening("\x16\x03\x05"), Kind::kBroken);
  EXPECT_EQ(KindOfOpening("\x16\x02"), Kind::kOther);
}

TEST(TlsOpeningTest, AHelloOfOldHasNoExtensionsAtAll) {
  std::string body = HelloBody("");
  Opening opening = ReadOpening(InRecords(HelloMessage(body.substr(0, body.size() - 2))));
  EXPECT_EQ(opening.kind, Kind::kTls);
  EXPECT_EQ(opening.host, "");
}

TEST(TlsOpeningTest, RepeatedAndCountlessExtensionsAreBroken) {
  EXPECT_EQ(KindOfOpening(HelloWith(Extension(10, "a") + Extension(10, "b"))), Kind::kBroken);
  std::string many;
  for (std::size_t i = 0; i < 300; ++i) many += Extension(1000 + i, "");
  EXPECT_EQ(KindOfOpening(HelloWith(many)), Kind::kBroken);
}

TEST(HttpOpeningTest, ReadsWhatRealClientsSend) {
  for (const char* name : {"http_curl", "http_connect"}) {
    Opening opening = ReadOpening(RecordedOpening(name));
    EXPECT_EQ(opening.kind, Kind::kHttp) << name;
    EXPECT_EQ(opening.host, "api.example.com") << name;
  }
  EXPECT_EQ(ReadOpening(RecordedOpening("http2_prior")).kind, Kind::kHttp2);
}

TEST(HttpOpeningTest, WaitsForTheWholeHead) {
  std::string head = "GET / HTTP/1.1\r\nAccept: */*\r\nHost: a.example\r\n\r\n";
  for (std::size_t size = 0; size < head.size(); ++size)
    ASSERT_EQ(KindOfOpening(head.substr(0, size)), Kind::kNeedsMore) << size;
  EXPECT_EQ(ReadOpening(head).host, "a.example");
  EXPECT_EQ(ReadOpening(head + "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n").host, "a.example");
}

TEST(HttpOpeningTest, FindsTheHostInEveryForm) {
  auto host = [](std::string_view line, std::string_view headers) {
    Opening opening = ReadOpening(std::string(line) + "\r\n" + std::string(headers) + "\r\n");
    EXPECT_EQ(opening.kind, Kind::kHttp) << line;
    return opening.host;
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

TEST(HttpOpeningTest, WhatTwoReadersCouldReadDifferentlyIsBroken) {
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
    EXPECT_EQ(KindOfOpening(head), Kind::kBroken) << head;
}

TEST(HttpOpeningTest, AnEndlessHeadIsBroken) {
  std::string head = "GET / HTTP/1.1\r\nHost: a.example\r\nX: ";
  head.resize(kOpeningBytesMax - 1, 'x');
  EXPECT_EQ(KindOfOpening(head), Kind::kNeedsMore);
  EXPECT_EQ(KindOfOpening(head + "x"), Kind::kBroken);
  EXPECT_EQ(KindOfOpening(std::string(kOpeningBytesMax, '\n')), Kind::kBroken);
}

TEST(OtherOpeningTest, OtherProtocolsAreToldApartAsEarlyAsTheyCan) {
  EXPECT_EQ(KindOfOpening(""), Kind::kNeedsMore);
  for (std::string_view bytes :
       {std::string_view("\0", 1), std::string_view("\x05\x01"), std::string_view("\x80\x2e\x01"),
        std::string_view("{\"id\":1"), std::string_view("<?xml"), std::string_view("@RSYNCD"),
        std::string_view("AMQP\0", 5), std::string_view("SSH-2.0-OpenSSH_9.2 Debian-2\r\n"),
        std::string_view("EHLO a.example\r\n"), std::string_view("*1\r\n$4\r\nPING\r\n"),
        std::string_view("CONNECT {\"verbose\":false}\r\n"), std::string_view("\x15\x03\x01"),
        std::string_view("0032git-upload-pack /x\0host", 27),
        std::string_view("OPTIONS rtsp://a RTSP/1.0\r\n"), std::string_view("caf\xc3\xa9")})
    EXPECT_EQ(KindOfOpening(bytes), Kind::kOther) << bytes;
}

TEST(OtherOpeningTest, AnEndDecidesWhatWasOpen) {
  EXPECT_EQ(ReadEndedOpening("").kind, Kind::kOther);
  EXPECT_EQ(ReadEndedOpening("\r\n").kind, Kind::kOther);
  EXPECT_EQ(ReadEndedOpening("PING").kind, Kind::kOther);
  EXPECT_EQ(ReadEndedOpening("GET /").kind, Kind::kBroken);
  EXPECT_EQ(ReadEndedOpening("POST / HTTP/1.1").kind, Kind::kBroken);
  EXPECT_EQ(ReadEndedOpening("POST / HTTP/1.1\r\nHost: a.example\r\n").kind, Kind::kBroken);
  EXPECT_EQ(ReadEndedOpening(HelloFor("a.example").substr(0, 9)).kind, Kind::kBroken);
  EXPECT_EQ(ReadEndedOpening(HelloFor("a.example")).host, "a.example");
}

}  // namespace
}  // namespace viv::network
