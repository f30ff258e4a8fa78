#include "http/tls.h"

#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "http/stream_transport.h"

namespace viv::http {
namespace {

using boost::system::error_code;
using TlsStream = asio::ssl::stream<StreamSocket>;

class TlsTransport : public StreamTransport<TlsStream> {
 public:
  TlsTransport(StreamSocket socket,
               asio::ssl::context& context,
               asio::ssl::stream_base::handshake_type side)
      : StreamTransport(std::move(socket), context), side_(side) {}

  bool secure() const override { return true; }

  Task<bool> Handshake() override {
    auto [error] = co_await stream_.async_handshake(side_, kTuple);
    co_return !error;
  }

  std::size_t TryWrite(const Pieces&) override { return 0; }

  void SetServerName(const std::string& name) {
    error_code not_an_address;
    asio::ip::make_address(name, not_an_address);
    if (!name.empty() && not_an_address) {
      SSL_set_tlsext_host_name(stream_.native_handle(), name.c_str());
    }
  }

 private:
  Task<void> SendCloseNotify() override { co_await stream_.async_shutdown(kTuple); }

  const asio::ssl::stream_base::handshake_type side_;
};

class OpenSslIdentity : public TlsIdentity {
 public:
  Status Load(const TlsFiles& files) {
    error_code error;
    context_.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                             asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                             asio::ssl::context::no_tlsv1_1,
                         error);
    if (!error) context_.use_certificate_chain_file(files.certificate_chain, error);
    if (error) {
      return Fail(ErrorCode::kInvalidArgument, files.certificate_chain + ": " + error.message());
    }
    context_.use_private_key_file(files.private_key, asio::ssl::context::pem, error);
    if (error) return Fail(ErrorCode::kInvalidArgument, files.private_key + ": " + error.message());
    return {};
  }

  std::unique_ptr<Transport> Accept(StreamSocket socket) override {
    PrepareSocket(socket);
    return std::make_unique<TlsTransport>(std::move(socket), context_,
                                          asio::ssl::stream_base::server);
  }

 private:
  asio::ssl::context context_{asio::ssl::context::tls_server};
};

class OpenSslLibrary : public TlsLibrary {
 public:
  OpenSslLibrary() { unchecked_.set_verify_mode(asio::ssl::verify_none); }

  Result<std::unique_ptr<TlsIdentity>> Load(const TlsFiles& files) const override {
    auto identity = std::make_unique<OpenSslIdentity>();
    RETURN_IF_ERROR(identity->Load(files), "TLS");
    return std::unique_ptr<TlsIdentity>(std::move(identity));
  }

  std::unique_ptr<Transport> Connect(StreamSocket socket, std::string name) const override {
    PrepareSocket(socket);
    auto transport = std::make_unique<TlsTransport>(std::move(socket), unchecked_,
                                                    asio::ssl::stream_base::client);
    transport->SetServerName(name);
    return transport;
  }

 private:
  mutable asio::ssl::context unchecked_{asio::ssl::context::tls_client};  // OpenSSL locks it
};

}  // namespace

const TlsLibrary& OpenSsl() {
  static const OpenSslLibrary library;
  return library;
}

}  // namespace viv::http
