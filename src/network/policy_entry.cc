#include "network/policy_entry.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace viv::network {
namespace {

constexpr std::size_t kNameCharsMax = 253;
constexpr std::size_t kLabelCharsMax = 63;
constexpr std::size_t kGlobStarsMax = 8;  // bounds the cost of matching one name
constexpr std::size_t kRegexCharsMax = 512;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLabelChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '-' || c == '_';
}

bool IsNameLabel(std::string_view label) {
  if (label.empty() || label.size() > kLabelCharsMax) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), IsLabelChar);
}

bool IsGlobLabel(std::string_view label) {
  if (label.empty() || label.size() > kLabelCharsMax) return false;
  return std::all_of(label.begin(), label.end(), [](char c) { return c == '*' || IsLabelChar(c); });
}

tl::unexpected<Error> BadEntry(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

template <typename Number>
std::optional<Number> ReadDigits(std::string_view digits, std::size_t digits_max) {
  if (digits.empty() || digits.size() > digits_max) return std::nullopt;
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  Number value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

Result<AddressBlock> ReadBlock(std::string_view entry, std::size_t slash) {
  std::string_view written = entry.substr(0, slash);
  bool v4 = written.find(':') == std::string_view::npos;
  auto prefix = ParseAddress(written);
  if (!prefix) return BadEntry("what stands before the slash is no address");
  auto bits = ReadDigits<int>(entry.substr(slash + 1), 3);
  if (!bits || *bits > (v4 ? 32 : 128))
    return BadEntry(v4 ? "a block ends in /0 to /32, and takes no port"
                       : "a block ends in /0 to /128, and takes no port");
  // The block of all IPv4 traffic means all traffic.
  if (v4 && *bits == 0) return AddressBlock{{}, 0, true};
  if (v4) *bits += 96;
  // "::ffff:0:0/80" contains more than the mapped addresses and is not about IPv4: a bit beyond the
  // prefix is changed, so that it is not a mapped address.
  if (!v4 && prefix->IsV4() && *bits < 96) prefix->bytes[11] = 0xfe;
  return AddressBlock{*prefix, static_cast<std::uint8_t>(*bits)};
}

PolicyEntry SingleAddress(const Address& address, std::uint16_t port) {
  PolicyEntry entry;
  entry.kind = PolicyEntry::Kind::kBlock;
  entry.block = {address, 128, false, port};
  entry.port = port;
  return entry;
}

struct HostAndPort {
  std::string_view host;
  std::uint16_t port = 0;
};

// The port follows the last colon. IPv6 addresses with a port stand in brackets.
Result<HostAndPort> SplitPort(std::string_view entry) {
  std::size_t colon = entry.rfind(':');
  if (entry.starts_with('[')) {
    std::size_t close = entry.find(']');
    if (close == std::string_view::npos) return BadEntry("the bracket is not closed");
    if (close + 1 == entry.size()) return HostAndPort{entry, 0};
    if (colon != close + 1) return BadEntry("after the bracket comes a colon and a port");
  }
  if (colon == std::string_view::npos) return HostAndPort{entry, 0};
  std::string_view digits = entry.substr(colon + 1);
  auto port = ReadDigits<std::uint32_t>(digits, 5);
  if (!port || *port == 0 || *port > 65'535 || digits.front() == '0')
    return BadEntry("a port is a number from 1 to 65535");
  return HostAndPort{entry.substr(0, colon), static_cast<std::uint16_t>(*port)};
}

std::string WithoutDoubledStars(std::string_view glob) {
  std::string text;
  for (char c : glob)
    if (c != '*' || text.empty() || text.back() != '*') text += c;
  return text;
}

Result<PolicyEntry> ReadGlob(std::string_view written, std::uint16_t port) {
  constexpr std::size_t kAddressLabels = 4;
  if (written == "*.") return BadEntry("a name is expected after the star");
  std::string glob = ToLower(WithoutDoubledStars(WithoutTrailingDot(written)));
  auto labels = Split(glob, '.');
  if (glob.size() > kNameCharsMax || !std::all_of(labels.begin(), labels.end(), IsGlobLabel))
    return BadEntry("a pattern of hosts has letters, digits, '-', '_', '.' and '*' only");
  if (std::count(glob.begin(), glob.end(), '*') > static_cast<std::ptrdiff_t>(kGlobStarsMax))
    return BadEntry("a pattern of hosts has at most 8 stars");
  PolicyEntry entry;
  entry.port = port;
  bool lettered = std::any_of(glob.begin(), glob.end(),
                              [](char c) { return c != '*' && IsLabelChar(c) && !IsDigit(c); });
  bool numbered = std::any_of(glob.begin(), glob.end(), IsDigit);
  if (glob.starts_with("*.") && IsHostName(std::string_view(glob).substr(2))) {
    entry.kind = PolicyEntry::Kind::kSubdomains;
    entry.text = glob.substr(2);
    return entry;
  }
  if (!lettered && numbered && labels.size() > kAddressLabels)
    return BadEntry("an address has four numbers");
  entry.kind = !lettered && numbered ? PolicyEntry::Kind::kAddressGlob : PolicyEntry::Kind::kGlob;
  entry.text = std::move(glob);
  return entry;
}

Result<PolicyEntry> ReadRegex(std::string_view expression) {
  if (expression.empty()) return BadEntry("an expression is expected after '~'");
  if (expression.size() > kRegexCharsMax)
    return BadEntry("an expression has at most " + std::to_string(kRegexCharsMax) + " characters");
  PolicyEntry entry;
  entry.kind = PolicyEntry::Kind::kRegex;
  entry.text = expression;
  return entry;
}

Result<PolicyEntry> ReadHost(const HostAndPort& written) {
  auto address = ParseAddress(written.host);
  if (written.host.starts_with('[')) {
    address = ParseAddress(written.host.substr(1, written.host.size() - 2));
    if (!address || written.host.find(':') == std::string_view::npos)
      return BadEntry("an IPv6 address is expected within the brackets");
  }
  if (address) return SingleAddress(*address, written.port);
  if (written.host.find('*') != std::string_view::npos) return ReadGlob(written.host, written.port);
  if (!IsHostName(written.host))
    return BadEntry(
        "give an address, a CIDR block, a host, '*.' and a name, or '~' and an expression; a host "
        "or an address may be followed by ':' and a port");
  PolicyEntry entry;
  entry.text = ToLower(WithoutTrailingDot(written.host));
  entry.port = written.port;
  return entry;
}

}  // namespace

std::string_view WithoutTrailingDot(std::string_view name) {
  if (name.size() > 1 && name.back() == '.') name.remove_suffix(1);
  return name;
}

bool IsHostName(std::string_view name) {
  name = WithoutTrailingDot(name);
  if (name.empty() || name.size() > kNameCharsMax) return false;
  auto labels = Split(name, '.');
  if (!std::all_of(labels.begin(), labels.end(), IsNameLabel)) return false;
  std::string_view last = labels.back();
  return !std::all_of(last.begin(), last.end(), IsDigit);
}

bool AddressBlock::Contains(const Address& address) const {
  if (everything) return true;
  return prefix.IsV4() == address.IsV4() && address.SharesPrefix(prefix, bits);
}

std::string AddressBlock::Text() const {
  if (everything) return "0.0.0.0/0";
  std::string text = prefix.Text();
  if (bits == 128 && port == 0) return text;
  if (bits == 128) {
    if (!prefix.IsV4()) text = "[" + text + "]";
    return text + ":" + std::to_string(port);
  }
  return text + "/" + std::to_string(prefix.IsV4() ? bits - 96 : bits);
}

Result<PolicyEntry> ParsePolicyEntry(std::string_view entry) {
  if (entry.starts_with('~')) return ReadRegex(entry.substr(1));
  if (auto address = ParseAddress(entry)) return SingleAddress(*address, 0);
  if (std::size_t slash = entry.find('/'); slash != std::string_view::npos) {
    PolicyEntry read;
    read.kind = PolicyEntry::Kind::kBlock;
    ASSIGN_OR_RETURN(read.block, ReadBlock(entry, slash));
    return read;
  }
  ASSIGN_OR_RETURN(HostAndPort written, SplitPort(entry));
  return ReadHost(written);
}

}  // namespace viv::network
