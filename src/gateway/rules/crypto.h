#pragma once
// The few keys and signatures that credentials are made of. Internal to this module.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "gateway/tls/key_file.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

KeyPtr MakeEd25519();
std::string PemOfKey(const EVP_PKEY& key);  // private
KeyPtr KeyOfPem(std::string_view pem);      // nullptr when it is no unencrypted private key
bool IsEd25519(const EVP_PKEY& key);
std::string PublicBytes(const EVP_PKEY& key);  // of Ed25519: 32 bytes

// A JWT: EdDSA with an Ed25519 key, RS256 with an RSA key of 2048 to 8192 bits; kInvalidArgument
// with any other.
Result<std::string> SignJwt(const EVP_PKEY& key, std::string_view key_id, json::object claims);

}  // namespace viv::gateway
