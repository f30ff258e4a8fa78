// Text functions. Lengths and positions count characters (code points), not bytes.
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/guest_sql/function.h"
#include "engine/limits/text_search.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kPiecesMax = 1'000'000;  // of one text that is split

tl::unexpected<Error> TooLong() {
  return Fail(ErrorCode::kLimitExceeded,
              "100078 (22000): String is too long and would be truncated");
}

std::size_t Characters(std::string_view text) {
  return CountCharacters(text);
}

// The byte at which the character of this number begins, from 0.
std::size_t Offset(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  while (at < text.size() && character > 0) {
    ++at;
    while (at < text.size() && Continues(text[at])) ++at;
    --character;
  }
  return at;
}

std::string_view Slice(std::string_view text, std::size_t from, std::size_t count) {
  const std::size_t begin = Offset(text, from);
  text.remove_prefix(begin);
  return text.substr(0, Offset(text, count));
}

class ByteSet {
 public:
  explicit ByteSet(std::string_view bytes) {
    for (char c : bytes) set_.set(static_cast<unsigned char>(c));
  }
  bool Contains(char c) const { return set_.test(static_cast<unsigned char>(c)); }

 private:
  std::bitset<256> set_;
};

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

Result<Value> MatchLike(std::string_view text, std::string_view pattern, std::string_view escape) {
  const std::optional<bool> matches = MatchWildcards(text, {.pattern = pattern, .escape = escape});
  if (!matches) return Stopped();
  return Value(std::int64_t{*matches});
}

Result<Value> Like(const Arguments& a) {
  return MatchLike(a.Text(0), a.Text(1), a.size() > 2 ? a.Text(2) : std::string_view());
}

Result<Value> Ilike(const Arguments& a) {
  return MatchLike(Lower(a.Text(0)), Lower(a.Text(1)),
                   a.size() > 2 ? a.Text(2) : std::string_view());
}

Result<Value> Length(const Arguments& a) {
  return Value(static_cast<std::int64_t>(Characters(a.Text(0))));
}

Result<Value> Left(const Arguments& a) {
  const std::int64_t count = std::max<std::int64_t>(a.Integer(1), 0);
  return Value(std::string(Slice(a.Text(0), 0, static_cast<std::size_t>(count))));
}

Result<Value> Right(const Arguments& a) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(a.Integer(1), 0));
  const std::size_t length = Characters(a.Text(0));
  return Value(std::string(Slice(a.Text(0), length - std::min(length, count), count)));
}

Result<Value> Substr(const Arguments& a) {
  const auto length = static_cast<std::int64_t>(Characters(a.Text(0)));
  const std::int64_t wanted = std::clamp<std::int64_t>(a.Integer(1), -length - 1, length + 1);
  std::int64_t from = wanted > 0 ? wanted - 1 : wanted < 0 ? length + wanted : 0;
  if (from < 0) return Value(std::string());
  const std::int64_t count = std::clamp<std::int64_t>(a.IntegerOr(2, length), 0, length);
  return Value(std::string(
      Slice(a.Text(0), static_cast<std::size_t>(from), static_cast<std::size_t>(count))));
}

Result<std::string> Padding(const Arguments& a, std::size_t missing) {
  std::string_view pad = a.size() > 2 ? a.Text(2) : " ";
  if (pad.empty()) return std::string();
  if (missing > kTextBytesMax / pad.size()) return TooLong();
  std::string out;
  const std::size_t step = std::max<std::size_t>(Characters(pad), 1);
  for (std::size_t made = 0; made < missing; made += step) out += pad;
  return std::string(Slice(out, 0, missing));
}

Result<Value> Pad(const Arguments& a, bool left) {
  std::string_view text = a.Text(0);
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(a.Integer(1), 0));
  const std::size_t length = Characters(text);
  if (width <= length) return Value(std::string(Slice(text, 0, width)));
  ASSIGN_OR_RETURN(std::string padding, Padding(a, width - length));
  return Value(left ? padding + std::string(text) : std::string(text) + padding);
}

Result<Value> Lpad(const Arguments& a) {
  return Pad(a, true);
}

Result<Value> Rpad(const Arguments& a) {
  return Pad(a, false);
}

Result<Value> Repeat(const Arguments& a) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(a.Integer(1), 0));
  std::string_view text = a.Text(0);
  if (!text.empty() && count > kTextBytesMax / text.size()) return TooLong();
  std::string out;
  for (std::size_t i = 0; i < count && !text.empty(); ++i) out += text;
  return Value(std::move(out));
}

Result<Value> Reverse(const Arguments& a) {
  std::string_view text = a.Text(0);
  std::string out;
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && Continues(text[begin])) --begin;
    out += text.substr(begin, end - begin);
    end = begin;
  }
  return Value(std::move(out));
}

Result<Value> Initcap(const Arguments& a) {
  std::string out = Lower(a.Text(0));
  std::string_view delimiters =
      a.size() > 1 ? a.Text(1) : " \t\n\r\f\v!?@\"^#$&~_,.:;+-*%/|\\[](){}<>";
  const ByteSet between(delimiters);
  bool first = true;
  for (char& c : out) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = between.Contains(c);
  }
  return Value(std::move(out));
}

Result<Value> Concat(const Arguments& a) {
  std::string out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out += a.Text(i);
    if (out.size() > kTextBytesMax) return TooLong();
  }
  return Value(std::move(out));
}

Result<Value> ConcatWs(const Arguments& a) {
  std::string out;
  for (std::size_t i = 1; i < a.size(); ++i) {
    if (i > 1) out += a.Text(0);
    out += a.Text(i);
    if (out.size() > kTextBytesMax) return TooLong();
  }
  return Value(std::move(out));
}

Result<Value> Replace(const Arguments& a) {
  std::string_view text = a.Text(0);
  std::string_view from = a.Text(1);
  std::string_view to = a.size() > 2 ? a.Text(2) : std::string_view();
  if (from.empty()) return Value(std::string(text));
  std::string out;
  while (true) {
    const std::size_t found = FindText(text, from);
    out += text.substr(0, found);
    if (found == text.npos) return Value(std::move(out));
    out += to;
    text.remove_prefix(found + from.size());
    if (out.size() > kTextBytesMax) return TooLong();
  }
}

Result<Value> Translate(const Arguments& a) {
  std::string_view text = a.Text(0);
  std::string_view from = a.Text(1);
  std::string_view to = a.Text(2);
  std::map<std::string_view, std::string_view> meaning;
  std::size_t to_at = 0;
  for (std::size_t at = 0; at < from.size();) {
    const std::string_view character = CharacterAt(from, at);
    at += character.size();
    const std::string_view other =
        to_at < to.size() ? CharacterAt(to, to_at) : std::string_view();  // none: it is left out
    to_at += other.size();
    meaning.emplace(character, other);  // the first of a character counts
  }
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::string_view character = CharacterAt(text, i);
    i += character.size();
    const auto found = meaning.find(character);
    out += found == meaning.end() ? character : found->second;
  }
  return Value(std::move(out));
}

Result<std::vector<std::string_view>> SplitBy(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t found = 0; !separator.empty();) {
    found = FindText(text, separator);
    if (found == text.npos) break;
    if (parts.size() >= kPiecesMax) return TooLong();
    parts.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  parts.push_back(text);
  return parts;
}

Result<std::vector<std::string_view>> Tokens(std::string_view text, std::string_view delimiters) {
  const ByteSet between(delimiters);
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && !between.Contains(text[at])) continue;
    if (at > begin) {
      if (parts.size() >= kPiecesMax) return TooLong();
      parts.push_back(text.substr(begin, at - begin));
    }
    begin = at + 1;
  }
  return parts;
}

Value ArrayOf(const std::vector<std::string_view>& parts) {
  json::array array;
  for (std::string_view part : parts) array.push_back(json::value(part));
  return json::serialize(array);
}

Result<Value> SplitPart(const Arguments& a) {
  ASSIGN_OR_RETURN(auto parts, SplitBy(a.Text(0), a.Text(1)));
  std::int64_t index = a.Integer(2);
  const auto count = static_cast<std::int64_t>(parts.size());
  if (index < 0) index = count + index + 1;
  if (a.Integer(2) == 0) index = 1;
  if (index < 1 || index > count) return Value(std::string());
  return Value(std::string(parts[static_cast<std::size_t>(index - 1)]));
}

Result<Value> Strtok(const Arguments& a) {
  ASSIGN_OR_RETURN(auto parts, Tokens(a.Text(0), a.size() > 1 ? a.Text(1) : " "));
  const std::int64_t index = a.IntegerOr(2, 1);
  if (index < 1 || index > static_cast<std::int64_t>(parts.size())) return NullValue();
  return Value(std::string(parts[static_cast<std::size_t>(index - 1)]));
}

Result<Value> SplitText(const Arguments& a) {
  ASSIGN_OR_RETURN(auto parts, SplitBy(a.Text(0), a.Text(1)));
  return ArrayOf(parts);
}

Result<Value> StrtokToArray(const Arguments& a) {
  ASSIGN_OR_RETURN(auto parts, Tokens(a.Text(0), a.size() > 1 ? a.Text(1) : " "));
  return ArrayOf(parts);
}

Result<Value> Charindex(const Arguments& a) {
  const auto from = static_cast<std::size_t>(std::max<std::int64_t>(a.IntegerOr(2, 1), 1) - 1);
  const std::size_t found = FindText(a.Text(1), a.Text(0), Offset(a.Text(1), from));
  if (found == std::string_view::npos) return Value(std::int64_t{0});
  return Value(static_cast<std::int64_t>(Characters(a.Text(1).substr(0, found))) + 1);
}

Result<Value> Startswith(const Arguments& a) {
  return Value(std::int64_t{a.Text(0).starts_with(a.Text(1))});
}

Result<Value> Endswith(const Arguments& a) {
  return Value(std::int64_t{a.Text(0).ends_with(a.Text(1))});
}

Result<Value> Ascii(const Arguments& a) {
  std::string_view text = a.Text(0);
  if (text.empty()) return Value(std::int64_t{0});
  auto byte = [&](std::size_t i) {
    return static_cast<std::int64_t>(static_cast<unsigned char>(text[i]));
  };
  const std::size_t size = CharacterAt(text, 0).size();
  if (size == 1) return Value(byte(0));
  std::int64_t code = byte(0) & (0xFF >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3F);
  return Value(code);
}

Result<Value> Chr(const Arguments& a) {
  const std::int64_t code = a.Integer(0);
  if (code < 1 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("100076 (22000): Invalid character code {} in the CHR input", code));
  }
  std::string out;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  if (code >= 0x80) out += static_cast<char>(0x80 | (code & 0x3F));
  return Value(std::move(out));
}

Result<Value> Editdistance(const Arguments& a) {
  std::string_view left = a.Text(0);
  std::string_view right = a.Text(1);
  if (left.size() > 5000 || right.size() > 5000) return TooLong();
  if (!ChargeWork(left.size() * right.size())) return Stopped();
  std::vector<std::int64_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = static_cast<std::int64_t>(j);
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::int64_t change = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return Value(row.back());
}

Result<Value> Digest(const EVP_MD* algorithm, std::string_view text) {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (algorithm == nullptr ||
      EVP_Digest(text.data(), text.size(), bytes, &size, algorithm, nullptr) != 1) {
    return Fail(ErrorCode::kInternal, "digest is not available");
  }
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", bytes[i]);
  return Value(std::move(out));
}

Result<Value> Md5(const Arguments& a) {
  return Digest(EVP_md5(), a.Text(0));
}

Result<Value> Sha1(const Arguments& a) {
  return Digest(EVP_sha1(), a.Text(0));
}

Result<Value> Sha2(const Arguments& a) {
  const std::int64_t bits = a.IntegerOr(1, 256);
  if (bits == 224) return Digest(EVP_sha224(), a.Text(0));
  if (bits == 384) return Digest(EVP_sha384(), a.Text(0));
  return Digest(bits == 512 ? EVP_sha512() : EVP_sha256(), a.Text(0));
}

constexpr Function kTextFunctions[] = {
    {"g$like", Like, 2, 3},
    {"g$ilike", Ilike, 2, 3},
    {"g$length", Length, 1, 1},
    {"g$left", Left, 2, 2},
    {"g$right", Right, 2, 2},
    {"g$substr", Substr, 2, 3},
    {"g$lpad", Lpad, 2, 3},
    {"g$rpad", Rpad, 2, 3},
    {"g$repeat", Repeat, 2, 2},
    {"g$reverse", Reverse, 1, 1},
    {"g$initcap", Initcap, 1, 2},
    {"g$concat", Concat, 1, kMany},
    {"g$concat_ws", ConcatWs, 2, kMany},
    {"g$replace", Replace, 2, 3},
    {"g$translate", Translate, 3, 3},
    {"g$split_part", SplitPart, 3, 3},
    {"g$strtok", Strtok, 1, 3},
    {"g$split", SplitText, 2, 2},
    {"g$strtok_to_array", StrtokToArray, 1, 2},
    {"g$charindex", Charindex, 2, 3},
    {"g$startswith", Startswith, 2, 2},
    {"g$endswith", Endswith, 2, 2},
    {"g$ascii", Ascii, 1, 1},
    {"g$chr", Chr, 1, 1},
    {"g$editdistance", Editdistance, 2, 2},
    {"g$md5", Md5, 1, 1},
    {"g$sha1", Sha1, 1, 1},
    {"g$sha2", Sha2, 1, 2},
};

}  // namespace

std::span<const Function> TextFunctions() {
  return kTextFunctions;
}

}  // namespace viv::engine::guest_sql
