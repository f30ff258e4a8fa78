#include "tools/archive/tar_header.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace viv::tools {
namespace {

constexpr std::uint64_t kUstarSizeMax = (1ULL << 33) - 1;  // eleven octal digits
constexpr std::size_t kUstarNameMax = 100;
constexpr unsigned kUserId = 1000;
constexpr char kUserName[] = "user";

// Where each field of the head is.
constexpr std::size_t kNameAt = 0, kModeAt = 100, kUserAt = 108, kGroupAt = 116, kSizeAt = 124,
                      kTimeAt = 136, kSumAt = 148, kTypeAt = 156, kLinkAt = 157, kMagicAt = 257,
                      kUserNameAt = 265, kGroupNameAt = 297;

void PutOctal(std::string& block, std::size_t at, std::size_t width, std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%0*llo", static_cast<int>(width - 1),
                static_cast<unsigned long long>(number));
  std::memcpy(block.data() + at, text, width - 1);
}

void PutText(std::string& block, std::size_t at, std::size_t width, std::string_view text) {
  std::memcpy(block.data() + at, text.data(), std::min(width, text.size()));
}

std::string UstarBlock(const TarMember& member, char type, std::uint64_t size) {
  std::string block(kTarBlockBytes, '\0');
  PutText(block, kNameAt, kUstarNameMax, member.name);
  PutOctal(block, kModeAt, 8, member.mode & 0777);
  PutOctal(block, kUserAt, 8, kUserId);
  PutOctal(block, kGroupAt, 8, kUserId);
  PutOctal(block, kSizeAt, 12, std::min(size, kUstarSizeMax));
  const auto latest = static_cast<std::int64_t>(kUstarSizeMax);
  PutOctal(block, kTimeAt, 12,
           static_cast<std::uint64_t>(std::clamp<std::int64_t>(member.modified, 0, latest)));
  block[kTypeAt] = type;
  PutText(block, kLinkAt, kUstarNameMax, member.link);
  std::memcpy(block.data() + kMagicAt, "ustar\00000", 8);
  PutText(block, kUserNameAt, 32, kUserName);
  PutText(block, kGroupNameAt, 32, kUserName);
  // The sum is taken with spaces in its own place.
  std::memset(block.data() + kSumAt, ' ', 8);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(block.data() + kSumAt, 8, "%06o", sum);
  block[kSumAt + 7] = ' ';
  return block;
}

// "LENGTH key=value\n", where the length counts its own digits too.
void AddRecord(std::string& records, std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (std::to_string(length).size() + rest != length)
    length = std::to_string(length).size() + rest;
  records += std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

// Short ones that are just bytes go as they are: that is how every reader takes them.
bool FitsUstar(std::string_view name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; });
  return name.size() <= kUstarNameMax && (ascii || !IsValidUtf8(name));
}

std::string PaxRecords(const TarMember& member) {
  std::string records;
  const bool odd_name = !FitsUstar(member.name);
  const bool odd_link = !FitsUstar(member.link);
  // pax names are UTF-8 unless it is said that they are just bytes.
  if ((odd_name && !IsValidUtf8(member.name)) || (odd_link && !IsValidUtf8(member.link)))
    AddRecord(records, "hdrcharset", "BINARY");
  if (odd_name) AddRecord(records, "path", member.name);
  if (odd_link) AddRecord(records, "linkpath", member.link);
  if (member.size > kUstarSizeMax) AddRecord(records, "size", std::to_string(member.size));
  return records;
}

}  // namespace

std::string TarHeader(const TarMember& member) {
  std::string head;
  const std::string records = PaxRecords(member);
  if (!records.empty()) {
    TarMember pax;
    pax.name = "./PaxHeaders/" + member.name.substr(0, 64);
    pax.modified = member.modified;
    head = UstarBlock(pax, 'x', records.size());
    head += records;
    head.append(TarPadding(records.size()), '\0');
  }
  return head + UstarBlock(member, static_cast<char>(member.type), member.size);
}

}  // namespace viv::tools
