#include "templates/java_key_store.h"

#include <openssl/evp.h>

#include <set>

#include "base/base64.h"
#include "base/check.h"

namespace viv::templates {
namespace {

constexpr std::size_t kCertificatesMax = 2000;
constexpr std::size_t kCertificateBytesMax = 64 << 10;
constexpr std::uint32_t kMagic = 0xFEEDFEED;
constexpr std::uint32_t kStoreVersion = 2;
constexpr std::uint32_t kTrustedCertificate = 2;

void PutNumber(std::string& out, std::uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

void PutText(std::string& out, std::string_view text) {
  PutNumber(out, text.size(), 2);
  out += text;
}

// What follows the entries: a digest of them and of a password that everybody knows.
std::string KeyStoreDigest(const std::string& entries) {
  std::string sealed;
  for (const char c : std::string_view("changeit")) PutNumber(sealed, static_cast<unsigned>(c), 2);
  sealed += "Mighty Aphrodite";
  sealed += entries;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  CHECK(EVP_Digest(sealed.data(), sealed.size(), digest, &size, EVP_sha1(), nullptr) == 1);
  return {reinterpret_cast<const char*>(digest), size};
}

// One ASN.1 sequence, as long as it says.
bool IsSequence(std::string_view der) {
  if (der.size() < 4 || der[0] != 0x30) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(der[i]); };
  std::size_t length = byte(1), head = 2;
  if (length == 0x82) {
    length = byte(2) << 8U | byte(3);
    head = 4;
  } else if (length == 0x81) {
    length = byte(2);
    head = 3;
  } else if (length > 0x7F) {
    return false;
  }
  return der.size() == head + length;
}

}  // namespace

std::vector<std::string> CertificatesIn(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  std::vector<std::string> found;
  std::set<std::string> seen;
  std::size_t begin = 0;
  while (found.size() < kCertificatesMax &&
         (begin = pem.find(kBegin, begin)) != std::string_view::npos) {
    begin += kBegin.size();
    const std::size_t end = pem.find(kEnd, begin);
    if (end == std::string_view::npos) break;
    std::string digits;
    for (const char c : pem.substr(begin, end - begin))
      if (c != '\n' && c != '\r' && c != ' ' && c != '\t') digits += c;
    begin = end;
    if (digits.size() > kCertificateBytesMax) continue;
    const auto der = DecodeBase64(digits);
    if (der && IsSequence(*der) && seen.insert(*der).second) found.push_back(*der);
  }
  return found;
}

std::string JavaKeyStore(const std::vector<std::string>& certificates, std::int64_t now_ms) {
  std::string store;
  PutNumber(store, kMagic, 4);
  PutNumber(store, kStoreVersion, 4);
  PutNumber(store, certificates.size(), 4);
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    PutNumber(store, kTrustedCertificate, 4);
    PutText(store, "authority-" + std::to_string(i + 1));
    PutNumber(store, static_cast<std::uint64_t>(now_ms), 8);
    PutText(store, "X.509");
    PutNumber(store, certificates[i].size(), 4);
    store += certificates[i];
  }
  return store + KeyStoreDigest(store);
}

}  // namespace viv::templates
