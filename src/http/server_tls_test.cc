#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "base/ids.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;
using ::testing::EndsWith;
using ::testing::StartsWith;

// A self-signed certificate for "localhost" and its key, in a directory that goes with it.
class SelfSigned {
 public:
  SelfSigned() : directory_(std::filesystem::temp_directory_path() / ("viv-tls-" + RandomHex(16))) {
    std::filesystem::create_directory(directory_);
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* common = reinterpret_cast<const unsigned char*>("localhost");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(certificate_path().c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(key_path().c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~SelfSigned() { std::filesystem::remove_all(directory_); }

  std::string certificate_path() const { return directory_ / "certificate.pem"; }
  std::string key_path() const { return directory_ / "key.pem"; }

  ServerOptions Options() const {
    ServerOptions options;
    options.tls = std::make_unique<TlsFiles>(TlsFiles{certificate_path(), key_path()});
    return options;
  }

 private:
  std::filesystem::path directory_;
};

Task<Response> Echo(Request& request) {
  co_return Text(200, (request.secure ? "secure " : "open ") + request.body);
}

std::string Talk(const SelfSigned& trusted, std::uint16_t port, const std::string& request) {
  asio::io_context io;
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.load_verify_file(trusted.certificate_path());
  context.set_verify_mode(asio::ssl::verify_peer);
  asio::ssl::stream<tcp::socket> stream(io, context);
  stream.next_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
  stream.handshake(asio::ssl::stream_base::client);
  asio::write(stream, asio::buffer(request));
  std::string answer;
  error_code end;
  asio::read(stream, asio::dynamic_buffer(answer), end);
  EXPECT_EQ(end, asio::error::eof);  // a proper goodbye, not a cut
  return answer;
}

TEST(ServerTlsTest, ServesOverTls) {
  SelfSigned identity;
  RunningServer server(Echo, identity.Options());
  std::string body(100'000, 'b');
  std::string answer = Talk(identity, server->port(),
                            "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("secure " + body));
}

TEST(ServerTlsTest, AnswersPipelinedRequests) {
  SelfSigned identity;
  RunningServer server(Echo, identity.Options());
  std::string answer = Talk(identity, server->port(),
                            "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                            "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("secure HTTP/1.1 200"), std::string::npos);
}

TEST(ServerTlsTest, ClosesOnAPlainRequest) {
  SelfSigned identity;
  RunningServer server(Echo, identity.Options());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.EndSending();
  EXPECT_EQ(client.ReadToEnd().find("HTTP/1.1"), std::string::npos);
}

TEST(ServerTlsTest, GivesUpOnASilentHandshake) {
  SelfSigned identity;
  ServerOptions options = identity.Options();
  options.header_timeout = std::chrono::milliseconds(20);
  RunningServer server(Echo, std::move(options));
  RawClient client(server->port());
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerTlsTest, RefusesFilesThatAreNone) {
  SelfSigned identity;
  ServerOptions options;
  options.tls = std::make_unique<TlsFiles>(TlsFiles{"/nowhere.pem", identity.key_path()});
  EXPECT_FALSE(Server::Create(std::move(options), Echo, nullptr));
  ServerOptions swapped;
  swapped.tls = std::make_unique<TlsFiles>(
      TlsFiles{identity.certificate_path(), identity.certificate_path()});
  EXPECT_FALSE(Server::Create(std::move(swapped), Echo, nullptr));
}

}  // namespace
}  // namespace viv::http
