#include "dialects/klavis/credentials.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/check.h"
#include "base/ids.h"
#include "base/text.h"

namespace viv::klavis {
namespace {

constexpr std::size_t kSecretMax = 256;
constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kDigits = "0123456789";

struct FreeOpenssl {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(BN_CTX* context) const { BN_CTX_free(context); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenssl>;
using Number = Owned<BIGNUM>;

Number NewNumber() {
  Number number(BN_new());
  CHECK(number != nullptr);
  return number;
}

// Bytes that look random and depend on `seed` alone, as hexadecimal digits.
std::string Expand(std::string_view seed, std::size_t digits) {
  std::string text;
  for (int i = 0; text.size() < digits; ++i)
    text += Sha256Hex(std::string(seed) + "/" + std::to_string(i));
  text.resize(digits);
  return text;
}

std::string Draw(std::string_view seed, std::size_t length, std::string_view alphabet) {
  std::string bytes = Expand(seed, length * 4);
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    unsigned value = 0;
    std::from_chars(bytes.data() + i * 4, bytes.data() + i * 4 + 4, value, 16);
    text += alphabet[value % alphabet.size()];
  }
  return text;
}

struct Primes {
  Number p;
  Number q;
  Number n;
  Number p_less;
  Number q_less;
  Number totient;
};

// The first prime of 1024 bits at or after what the seed says.
Number MakePrime(std::string_view seed, BN_CTX* context) {
  BIGNUM* raw = nullptr;
  CHECK(BN_hex2bn(&raw, Expand(seed, 256).c_str()) == 256);
  Number number(raw);
  BN_set_bit(number.get(), 1023);
  BN_set_bit(number.get(), 1022);
  BN_set_bit(number.get(), 0);
  while (BN_check_prime(number.get(), context, nullptr) != 1) CHECK(BN_add_word(number.get(), 2));
  return number;
}

Primes MakePrimes() {
  Owned<BN_CTX> context(BN_CTX_new());
  CHECK(context != nullptr);
  Primes made{MakePrime("p", context.get()),
              MakePrime("q", context.get()),
              NewNumber(),
              NewNumber(),
              NewNumber(),
              NewNumber()};
  if (BN_cmp(made.p.get(), made.q.get()) < 0) std::swap(made.p, made.q);
  CHECK(BN_mul(made.n.get(), made.p.get(), made.q.get(), context.get()));
  CHECK(BN_sub(made.p_less.get(), made.p.get(), BN_value_one()));
  CHECK(BN_sub(made.q_less.get(), made.q.get(), BN_value_one()));
  CHECK(BN_mul(made.totient.get(), made.p_less.get(), made.q_less.get(), context.get()));
  return made;
}

// The parts of a key besides the primes.
struct Exponents {
  Number e = NewNumber();
  Number d = NewNumber();
  Number d_p = NewNumber();
  Number d_q = NewNumber();
  Number q_inverse = NewNumber();
};

Exponents MakeExponents(const Primes& primes, std::string_view seed, BN_CTX* context) {
  Exponents made;
  std::uint64_t start = 0;
  std::string digits = Expand(seed, 14);
  std::from_chars(digits.data(), digits.data() + digits.size(), start, 16);
  CHECK(BN_set_word(made.e.get(), start | 1 | (std::uint64_t{1} << 55)));
  Number common = NewNumber();
  for (;;) {
    CHECK(BN_gcd(common.get(), made.e.get(), primes.totient.get(), context));
    if (BN_is_one(common.get())) break;
    CHECK(BN_add_word(made.e.get(), 2));
  }
  CHECK(BN_mod_inverse(made.d.get(), made.e.get(), primes.totient.get(), context));
  CHECK(BN_mod(made.d_p.get(), made.d.get(), primes.p_less.get(), context));
  CHECK(BN_mod(made.d_q.get(), made.d.get(), primes.q_less.get(), context));
  CHECK(BN_mod_inverse(made.q_inverse.get(), primes.q.get(), primes.p.get(), context));
  return made;
}

Owned<EVP_PKEY> MakeKey(const Primes& primes, const Exponents& exponents) {
  Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  CHECK(builder != nullptr);
  auto push = [&](const char* name, const Number& number) {
    CHECK(OSSL_PARAM_BLD_push_BN(builder.get(), name, number.get()));
  };
  push(OSSL_PKEY_PARAM_RSA_N, primes.n);
  push(OSSL_PKEY_PARAM_RSA_E, exponents.e);
  push(OSSL_PKEY_PARAM_RSA_D, exponents.d);
  push(OSSL_PKEY_PARAM_RSA_FACTOR1, primes.p);
  push(OSSL_PKEY_PARAM_RSA_FACTOR2, primes.q);
  push(OSSL_PKEY_PARAM_RSA_EXPONENT1, exponents.d_p);
  push(OSSL_PKEY_PARAM_RSA_EXPONENT2, exponents.d_q);
  push(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, exponents.q_inverse);
  Owned<OSSL_PARAM> parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  CHECK(parameters != nullptr && context != nullptr);
  EVP_PKEY* raw = nullptr;
  CHECK(EVP_PKEY_fromdata_init(context.get()) == 1);
  CHECK(EVP_PKEY_fromdata(context.get(), &raw, EVP_PKEY_KEYPAIR, parameters.get()) == 1);
  return Owned<EVP_PKEY>(raw);
}

// "secret 36" → the text that stands for it; nothing when the word is none of ours.
std::optional<std::string> Fill(std::string_view word, const CredentialOwner& owner) {
  if (word == "email") return owner.email;
  std::string seed = owner.lease_id + "/" + std::string(word);
  if (word == "rsa_private_key") return MakePrivateKey(seed);
  std::vector<std::string_view> parts = Split(word, ' ');
  if (parts.size() < 2) return std::nullopt;
  std::size_t length = 0;
  const char* end = parts[1].data() + parts[1].size();
  auto read = std::from_chars(parts[1].data(), end, length);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  length = std::min(length, kSecretMax);
  if (parts[0] == "secret") return Draw(seed, length, kLetters);
  if (parts[0] == "digits") return Draw(seed, length, kDigits);
  return std::nullopt;
}

std::string FillText(std::string_view text, const CredentialOwner& owner) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = text[i] == '{' ? text.find('}', i) : text.npos;
    auto value = end == text.npos ? std::nullopt : Fill(text.substr(i + 1, end - i - 1), owner);
    filled += value ? *value : std::string(1, text[i]);
    if (value) i = end;
  }
  return filled;
}

}  // namespace

json::value MakeCredentials(const json::value& declared, const CredentialOwner& owner) {
  if (declared.is_string()) return json::value(FillText(View(declared.get_string()), owner));
  if (declared.is_array()) {
    json::array list;
    for (const json::value& item : declared.get_array())
      list.push_back(MakeCredentials(item, owner));
    return list;
  }
  if (!declared.is_object()) return declared;
  json::object object;
  for (const auto& member : declared.get_object())
    object[member.key()] = MakeCredentials(member.value(), owner);
  return object;
}

std::string MakePrivateKey(std::string_view seed) {
  static const Primes primes = MakePrimes();  // takes a moment, once
  Owned<BN_CTX> context(BN_CTX_new());
  CHECK(context != nullptr);
  Owned<EVP_PKEY> key = MakeKey(primes, MakeExponents(primes, seed, context.get()));
  Owned<BIO> out(BIO_new(BIO_s_mem()));
  CHECK(out != nullptr && PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0,
                                                        nullptr, nullptr) == 1);
  char* text = nullptr;
  auto size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

}  // namespace viv::klavis
