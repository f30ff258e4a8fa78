#include "base/ids.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <cctype>
#include <cstring>

#include "base/check.h"
#include "base/digest.h"

namespace viv {
namespace {

// A thread's own buffer of kernel randomness: one system call serves many ids.
void FillRandom(unsigned char* out, std::size_t size) {
  thread_local unsigned char pool[256];
  thread_local std::size_t left = 0;
  CHECK(size <= sizeof pool);
  if (left < size) {
    CHECK(getrandom(pool, sizeof pool, 0) == static_cast<ssize_t>(sizeof pool));
    left = sizeof pool;
  }
  left -= size;
  std::memcpy(out, pool + left, size);
  OPENSSL_cleanse(pool + left, size);
}

// The first 16 bytes as a UUID of that version.
std::string UuidText(unsigned char* bytes, unsigned version) {
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | (version << 4));
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string text = Hex({reinterpret_cast<const char*>(bytes), 16});
  for (std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

}  // namespace

std::string RandomHex(std::size_t digits) {
  CHECK(digits <= 128);
  unsigned char bytes[64];
  FillRandom(bytes, (digits + 1) / 2);
  std::string text = Hex({reinterpret_cast<const char*>(bytes), (digits + 1) / 2});
  text.resize(digits);
  return text;
}

std::string RandomLettersAndDigits(std::size_t count) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr unsigned kFair = 252;  // the largest multiple of 36 in a byte: none is likelier
  std::string text;
  while (text.size() < count) {
    unsigned char bytes[32];
    FillRandom(bytes, sizeof bytes);
    for (unsigned char byte : bytes) {
      if (byte < kFair && text.size() < count) text += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return text;
}

std::string RandomUuid() {
  unsigned char bytes[16];
  FillRandom(bytes, sizeof bytes);
  return UuidText(bytes, 4);
}

std::string NameUuid(std::string_view name) {
  constexpr unsigned char kNamespace[16] = {0x6b, 0x1d, 0x0e, 0x52, 0x9c, 0x4f, 0x4a, 0x8e,
                                            0xb3, 0x71, 0x5d, 0x20, 0x76, 0x69, 0x76, 0x31};
  std::string text(reinterpret_cast<const char*>(kNamespace), sizeof kNamespace);
  text += name;
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return UuidText(digest, 5);
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0)
      return false;
  }
  return true;
}

std::string Sha256Hex(std::string_view bytes) {
  return Hex(Sha256(bytes));
}

bool EqualsInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace viv
