#pragma once
// The credentials that an app declares as `auth_data` (and the like in `metadata`), made up for one
// sandbox. Clients check them before their first call, so they have the product's format; no server
// accepts them, because the MCP URL alone authorizes a call. A declared text may contain
//   {secret 36}        that many letters and digits; a further word makes it another one
//   {digits 12}        that many digits
//   {rsa_private_key}  a key in PEM (PKCS 8)
//   {email}            the sandbox's address
// The same lease always gets the same ones, and no two leases get the same.

#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::klavis {

struct CredentialOwner {
  std::string lease_id;
  std::string email;
};

json::value MakeCredentials(const json::value& declared, const CredentialOwner& owner);

// An RSA key of 2048 bits as PEM. All share one modulus, which is made once per process, and differ
// in their exponents: making primes would take a tenth of a second each, for keys that open
// nothing. `seed` decides which.
std::string MakePrivateKey(std::string_view seed);

}  // namespace viv::klavis
