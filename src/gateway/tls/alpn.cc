#include "gateway/tls/alpn.h"

#include <openssl/ssl.h>

#include <string_view>

namespace viv::gateway {
namespace {

// The index of our own data in every SSL: its "application data" belongs to Asio.
int OffersHttp2Index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int ChooseProtocol(SSL* ssl,
                   const unsigned char** chosen,
                   unsigned char* chosen_size,
                   const unsigned char* offered,
                   unsigned int offered_size,
                   void*) {
  const bool http2 = SSL_get_ex_data(ssl, OffersHttp2Index()) != nullptr;
  const unsigned char* ours = http2 ? kHttp2AndHttp1 : kHttp1Only;
  const unsigned size = (http2 ? sizeof kHttp2AndHttp1 : sizeof kHttp1Only) - 1;
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, chosen_size, ours, size, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

void OfferHttp2(SSL* ssl) {
  static char yes;
  SSL_set_ex_data(ssl, OffersHttp2Index(), &yes);
}

void EnableAlpnSelection(SSL_CTX* context) {
  OffersHttp2Index();
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
}

bool NegotiatedHttp2(const SSL* ssl) {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &chosen, &size);
  return chosen != nullptr && std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2";
}

}  // namespace viv::gateway
