#pragma once
// The keys and signatures that credentials need. Internal to this module.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "gateway/tls/key_file.h"
#include "gateway/tls/openssl.h"

namespace viv::gateway {

KeyPtr MakeEd25519();
std::string PemOfKey(const EVP_PKEY& key);  // of the private key
KeyPtr KeyOfPem(std::string_view pem);      // nullptr if it is not an unencrypted private key
bool IsEd25519(const EVP_PKEY& key);
std::string PublicBytes(const EVP_PKEY& key);  // 32 bytes of an Ed25519 key

// Makes a JWT: EdDSA with an Ed25519 key, RS256 with an RSA key of 2048 to 8192 bits.
// kInvalidArgument: any other key.
Result<std::string> SignJwt(const EVP_PKEY& key, std::string_view key_id, json::object claims);

}  // namespace viv::gateway
