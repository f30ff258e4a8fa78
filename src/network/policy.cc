#include "network/policy.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace viv::network {
namespace {

constexpr std::size_t kPolicyEntriesMax = 4096;
constexpr std::size_t kNameCharsMax = 253;
constexpr std::size_t kLabelCharsMax = 63;

std::string_view WithoutTrailingDot(std::string_view name) {
  if (name.size() > 1 && name.back() == '.') name.remove_suffix(1);
  return name;
}

bool IsNameLabel(std::string_view label) {
  if (label.empty() || label.size() > kLabelCharsMax) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// A host name, or "*." and one. A last label of digits only would be a badly written address.
bool IsNameEntry(std::string_view name) {
  name = WithoutTrailingDot(name);
  if (name.starts_with("*.")) name.remove_prefix(2);
  if (name.empty() || name.size() > kNameCharsMax) return false;
  auto labels = Split(name, '.');
  if (!std::all_of(labels.begin(), labels.end(), IsNameLabel)) return false;
  std::string_view last = labels.back();
  return !std::all_of(last.begin(), last.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct WrittenBlock {
  Address prefix;
  int bits = 0;  // as written
};

std::optional<WrittenBlock> ReadBlock(std::string_view entry) {
  std::size_t slash = entry.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  bool written_v4 = entry.find(':') == std::string_view::npos;
  auto prefix = ParseAddress(entry.substr(0, slash));
  std::string_view digits = entry.substr(slash + 1);
  if (!prefix || digits.empty() || digits.size() > 3) return std::nullopt;
  int bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits < 0) return std::nullopt;
  if (bits > (written_v4 ? 32 : 128)) return std::nullopt;
  return WrittenBlock{*prefix, bits};
}

bool NameMatches(std::string_view entry, std::string_view name) {
  if (!entry.starts_with("*.")) return entry == name;
  std::string_view suffix = entry.substr(1);  // ".x", so that the name itself does not match
  return name.size() > suffix.size() && name.ends_with(suffix);
}

}  // namespace

EntryKind KindOf(std::string_view entry) {
  if (ParseAddress(entry)) return EntryKind::kAddress;
  if (ReadBlock(entry)) return EntryKind::kBlock;
  if (IsNameEntry(entry)) return EntryKind::kName;
  return EntryKind::kNothing;
}

bool Rules::Block::Contains(const Address& address) const {
  if (bits == 0 && everything) return true;
  return prefix.IsV4() == address.IsV4() && address.SharesPrefix(prefix, bits);
}

Rules::Block Rules::MakeBlock(std::string_view entry) {
  if (auto address = ParseAddress(entry)) return {*address, 128, false};
  WrittenBlock written = *ReadBlock(entry);
  bool written_v4 = entry.find(':') == std::string_view::npos;
  // The word for all traffic of IPv4 stands for all traffic.
  if (written_v4 && written.bits == 0) return {{}, 0, true};
  int bits = written.bits + (written_v4 ? 96 : 0);
  // "::ffff:0:0/80" covers more than the mapped addresses and says nothing about IPv4: a bit beyond
  // the prefix is changed, so that it is no mapped address.
  if (!written_v4 && written.prefix.IsV4() && bits < 96) written.prefix.bytes[11] = 0xfe;
  return {written.prefix, bits, false};
}

Result<Rules> Rules::Compile(const Policy& policy) {
  if (policy.allow.size() + policy.deny.size() > kPolicyEntriesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "a network policy has at most " + std::to_string(kPolicyEntriesMax) + " entries");
  Rules rules;
  rules.internet_ = policy.internet;
  for (const std::string& entry : policy.allow) {
    switch (KindOf(entry)) {
      case EntryKind::kNothing:
        return Fail(ErrorCode::kInvalidArgument, "invalid allowed entry " + entry.substr(0, 300) +
                                                     ": give an address, a CIDR block or a name");
      case EntryKind::kName:
        rules.allowed_names_.push_back(ToLower(WithoutTrailingDot(entry)));
        break;
      default:
        rules.allowed_blocks_.push_back(MakeBlock(entry));
    }
  }
  for (const std::string& entry : policy.deny) {
    EntryKind kind = KindOf(entry);
    if (kind != EntryKind::kAddress && kind != EntryKind::kBlock)
      return Fail(ErrorCode::kInvalidArgument, "invalid denied CIDR " + entry.substr(0, 300));
    rules.denied_blocks_.push_back(MakeBlock(entry));
  }
  return rules;
}

bool Rules::AllowsName(std::string_view name) const {
  if (name.empty() || allowed_names_.empty()) return false;
  std::string lower = ToLower(WithoutTrailingDot(name));
  return std::any_of(allowed_names_.begin(), allowed_names_.end(),
                     [&](const std::string& entry) { return NameMatches(entry, lower); });
}

bool Rules::Allows(std::string_view name, const Address& address) const {
  auto contains = [](const Address& wanted) {
    return [&wanted](const Block& block) { return block.Contains(wanted); };
  };
  if (std::any_of(allowed_blocks_.begin(), allowed_blocks_.end(), contains(address))) return true;
  if (AllowsName(name)) return true;
  if (!internet_) return false;
  if (std::any_of(denied_blocks_.begin(), denied_blocks_.end(), contains(address))) return false;
  // A denied IPv4 address is denied through a translator as well.
  auto translated = address.Translated();
  return !translated ||
         std::none_of(denied_blocks_.begin(), denied_blocks_.end(), contains(*translated));
}

bool Rules::Allows(std::string_view name, std::string_view address, std::uint16_t) const {
  auto parsed = ParseAddress(address);
  return parsed && Allows(name, *parsed);
}

bool Rules::MayResolve(std::string_view name) const {
  auto is_all = [](const Block& block) { return block.everything; };
  if (AllowsName(name)) return true;
  if (std::any_of(allowed_blocks_.begin(), allowed_blocks_.end(), is_all)) return true;
  return internet_ && std::none_of(denied_blocks_.begin(), denied_blocks_.end(), is_all);
}

bool IsPrivateAddress(std::string_view address) {
  auto parsed = ParseAddress(address);
  return !parsed || parsed->IsPrivate();
}

}  // namespace viv::network
