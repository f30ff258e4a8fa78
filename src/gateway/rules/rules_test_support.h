#pragma once
// For tests of credentials: secrets in a map, a signer and a TLS client, and servers that answer
// callbacks correctly or not.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <sys/socket.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/run_to_end.h"
#include "gateway/rules/callback_client.h"
#include "gateway/rules/credentials.h"
#include "gateway/tls/tls_test_support.h"
#include "http/server_test_support.h"
#include "http/tls.h"

namespace viv::gateway {

inline constexpr std::string_view kCanary = "canary-7f31c0ffee";

// Looks up "{NAME}" and sealed texts as a whole.
class MapSecrets final : public SecretSource {
 public:
  Result<std::string> Reveal(const std::string& account_id, const SecretText& text) override {
    accounts.push_back(account_id);
    if (text.kind == SecretText::Kind::kPlain) return text.text;
    auto found = values.find(text.text);
    if (found != values.end()) return found->second;
    if (text.kind == SecretText::Kind::kSealed)
      return Fail(ErrorCode::kInvalidArgument, "it opens not, it held " + std::string(kCanary));
    return Fail(ErrorCode::kNotFound, "secret '" + text.text + "' not found");
  }

  std::map<std::string, std::string> values;
  std::vector<std::string> accounts;  // whose secrets were asked for
};

inline SecretText PlainText(std::string text) {
  return {SecretText::Kind::kPlain, std::move(text), ""};
}
inline SecretText Reference(std::string text) {
  return {SecretText::Kind::kBraceReferences, std::move(text), ""};
}

// A certificate for "localhost" from a test authority, with the files of both.
class TestOrigin {
 public:
  TestOrigin() {
    TestIdentity authority = MakeTestIdentity({.name = "test authority", .is_authority = true}, {});
    TestIdentity leaf = MakeTestIdentity({.name = "localhost"}, &authority);
    ca = SavePem(folder, PemOf(authority.certificate.get()));
    files = {SavePem(folder, PemOf(leaf.certificate.get())), folder.path + "/leaf.key"};
    std::FILE* file = std::fopen(files.private_key.c_str(), "we");
    PEM_write_PrivateKey(file, leaf.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }

  http::ServerOptions Secure() const {
    http::ServerOptions options;
    options.tls_library = &http::OpenSsl();
    options.tls = std::make_unique<http::TlsFiles>(files);
    return options;
  }

  ScratchFolder folder;
  std::string ca;
  http::TlsFiles files;
};

// A callback server as users write them; it records its requests.
class CallbackServer {
 public:
  explicit CallbackServer(http::ServerOptions options = {})
      : server_([this](http::Request& request) { return Respond(request); }, std::move(options)) {}

  std::string url(std::string_view path = "/hook") { return server_.Url(path); }
  std::string secure_url(std::string_view path = "/hook") {
    return "https://localhost:" + std::to_string(server_->port()) + std::string(path);
  }

  void Say(int status, std::string body) {
    std::lock_guard lock(mutex_);
    status_ = status;
    body_ = std::move(body);
  }
  std::vector<http::Request> asked() {
    std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  Task<http::Response> Respond(http::Request& request) {
    std::lock_guard lock(mutex_);
    asked_.push_back(request);
    http::Response response = http::Json(status_, body_);
    if (status_ == 302) response.headers.Add("Location", "/elsewhere");
    co_return response;
  }

  std::mutex mutex_;  // guards the three below
  int status_ = 200;
  std::string body_ = R"({"headers": {"Authorization": "Bearer given"}})";
  std::vector<http::Request> asked_;
  http::RunningServer server_;  // last, because it uses the others
};

// Sends these bytes on one connection, whatever it receives, then closes it or stays silent.
class BytesServer {
 public:
  enum class Then { kCloses, kIsSilent };
  explicit BytesServer(std::string bytes, Then then = Then::kCloses)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_.get(), 8);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, bytes = std::move(bytes), then] { Serve(bytes, then); });
  }
  ~BytesServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  void Serve(const std::string& bytes, Then then) {
    UniqueFd guest(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!guest) return;
    char ignored[4096];
    if (::recv(guest.get(), ignored, sizeof ignored, 0) <= 0) return;
    ::send(guest.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (then == Then::kCloses) ::shutdown(guest.get(), SHUT_WR);
    while (::recv(guest.get(), ignored, sizeof ignored, 0) > 0) {
    }
  }

  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// Everything that credentials need.
struct RulesFixture {
  explicit RulesFixture(PostLimits limits = {}) {
    auto opened_tls = OriginTls::Open({origin.ca});
    auto opened_signer =
        TokenSigner::Open(origin.folder.path, [] { return std::string("https://viv.test"); });
    if (!opened_tls || !opened_signer) {
      ADD_FAILURE() << "the fixture cannot be made";
      return;
    }
    tls = *std::move(opened_tls);
    signer = *std::move(opened_signer);
    client = std::make_shared<CallbackClient>(*signer, *tls, std::move(limits));
  }

  std::unique_ptr<Credentials> For(Plan plan) {
    BoxIdentity identity{"box1", "box-uuid", "account1", "account-uuid"};
    return MakeCredentials(std::move(plan), std::move(identity), secrets, client);
  }

  TestOrigin origin;
  MapSecrets secrets;
  std::unique_ptr<OriginTls> tls;
  std::unique_ptr<TokenSigner> signer;
  std::shared_ptr<CallbackClient> client;
};

inline RequestHead RequestTo(std::string authority, std::string target = "/") {
  RequestHead head;
  head.method = "GET";
  head.authority = std::move(authority);
  head.target = std::move(target);
  return head;
}

using AppliedForTest = tl::expected<AppliedCredentials, Refusal>;

inline AppliedForTest ApplyTo(Credentials& credentials,
                              RequestHead& head,
                              std::string_view body = {},
                              bool truncated = false,
                              bool secure = true) {
  std::uint16_t port = secure ? 443 : 80;
  Destination to{head.authority, port, secure};
  return RunToEnd(credentials.Apply(head, std::move(to), body, truncated));
}

}  // namespace viv::gateway
