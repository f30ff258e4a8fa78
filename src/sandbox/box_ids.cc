#include "sandbox/box_ids.h"

#include <openssl/rand.h>

#include "base/check.h"

namespace viv::sandbox {
namespace {

std::string RandomLetters(std::size_t count) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr unsigned kFair = 252;  // the largest multiple of 36 in a byte: none is likelier
  std::string text;
  while (text.size() < count) {
    unsigned char bytes[32];
    CHECK(RAND_bytes(bytes, sizeof bytes) == 1);
    for (unsigned char byte : bytes) {
      if (byte < kFair && text.size() < count) text += kLetters[byte % kLetters.size()];
    }
  }
  return text;
}

}  // namespace

std::string NewBoxId() {
  return "i" + RandomLetters(20);
}

std::string NewTemplateId() {
  return RandomLetters(20);
}

std::string NewPlaceName() {
  return RandomLetters(12);
}

}  // namespace viv::sandbox
