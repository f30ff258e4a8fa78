#include "tools/desktop_commander/closest_match.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace viv::tools::commander {
namespace {

constexpr std::size_t kWorkMax = 600'000'000;  // words of 64 cells

// Characters rather than bytes, so that no match begins within one. Broken bytes stand for
// themselves beyond Unicode, and are written back as they were.
std::u32string Characters(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    std::size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    char32_t value = first;
    for (std::size_t k = 1; k < length; ++k) {
      if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) {
        length = 1;
        break;
      }
      value = (value << 8) | static_cast<unsigned char>(text[i + k]);
    }
    out += length == 1 ? first : value;
    i += length;
  }
  return out;
}

std::string Bytes(std::u32string_view characters) {
  std::string out;
  for (char32_t c : characters)
    for (int shift = 24; shift >= 0; shift -= 8)
      if (const auto byte = static_cast<char>(c >> shift); shift == 0 || (c >> shift) != 0)
        out += byte;
  return out;
}

enum class Start { kAnywhere, kAtFront };  // where in the text a match may begin

// Myers' bit-vector algorithm: the distance between `wanted` and the best part of the text that
// ends at each place, 64 cells of the table at a time.
class DistanceScan {
 public:
  explicit DistanceScan(std::u32string_view wanted)
      : length_(wanted.size()), words_((wanted.size() + 63) / 64), nowhere_(words_, 0) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      auto& mask = masks_.try_emplace(wanted[i], words_, 0).first->second;
      mask[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  // `take` gets each end (a count of characters) and its distance.
  void Go(std::u32string_view text,
          Start start,
          const std::function<void(std::size_t, std::size_t)>& take) {
    std::vector<std::uint64_t> plus(words_, ~std::uint64_t{0}), minus(words_, 0);
    auto score = static_cast<std::int64_t>(length_);
    for (std::size_t j = 0; j < text.size(); ++j) {
      const auto found = masks_.find(text[j]);
      const auto& mask = found == masks_.end() ? nowhere_ : found->second;
      int carry = start == Start::kAtFront ? 1 : 0;
      for (std::size_t word = 0; word < words_; ++word) {
        const std::size_t top = word + 1 == words_ ? (length_ - 1) % 64 : 63;
        carry = Advance(plus[word], minus[word], mask[word], carry, top);
      }
      score += carry;
      take(j + 1, static_cast<std::size_t>(score));
    }
  }

 private:
  static int Advance(
      std::uint64_t& plus, std::uint64_t& minus, std::uint64_t equal, int carry, std::size_t top) {
    const std::uint64_t vertical = equal | minus;
    if (carry < 0) equal |= 1;
    const std::uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
    std::uint64_t up = minus | ~(horizontal | plus);
    std::uint64_t down = plus & horizontal;
    const int out = ((up >> top) & 1) != 0 ? 1 : ((down >> top) & 1) != 0 ? -1 : 0;
    up <<= 1;
    down <<= 1;
    if (carry < 0) down |= 1;
    if (carry > 0) up |= 1;
    plus = down | ~(vertical | up);
    minus = up & vertical;
    return out;
  }

  const std::size_t length_, words_;
  std::unordered_map<char32_t, std::vector<std::uint64_t>> masks_;
  const std::vector<std::uint64_t> nowhere_;
};

double SimilarityOf(std::u32string_view a, std::u32string_view b) {
  if (a.empty() && b.empty()) return 1;
  if (a.empty() || b.empty()) return 0;
  std::size_t distance = a.size();
  DistanceScan(a).Go(b, Start::kAtFront, [&](std::size_t, std::size_t score) { distance = score; });
  return 1 - static_cast<double>(distance) / static_cast<double>(std::max(a.size(), b.size()));
}

}  // namespace

std::optional<ClosestMatch> FindClosest(std::string_view text, std::string_view wanted) {
  if (wanted.empty() || text.size() * (wanted.size() / 64 + 1) > kWorkMax) return std::nullopt;
  const std::u32string all = Characters(text), part = Characters(wanted);
  std::size_t best = part.size(), end = 0;
  DistanceScan(part).Go(all, Start::kAnywhere, [&](std::size_t at, std::size_t score) {
    // Of equal ones the shorter, unless the next character is the one that is wanted there.
    if (score < best || (score == best && at == end + 1 && all[at - 1] == part.back()))
      best = score, end = at;
  });
  // Backwards from that end the best beginning is found in the same way.
  const std::size_t reach = std::min(end, part.size() + best);
  const std::u32string back(all.rend() - static_cast<std::ptrdiff_t>(end),
                            all.rend() - static_cast<std::ptrdiff_t>(end - reach));
  const std::u32string turned(part.rbegin(), part.rend());
  std::size_t length = 0, least = part.size();
  DistanceScan(turned).Go(back, Start::kAtFront, [&](std::size_t at, std::size_t score) {
    const bool longer = at <= part.size() || (at == length + 1 && back[at - 1] == turned.back());
    if (score < least || (score == least && longer)) least = score, length = at;
  });
  const std::u32string found = all.substr(end - length, length);
  return ClosestMatch{Bytes(found), SimilarityOf(part, found)};
}

double Similarity(std::string_view a, std::string_view b) {
  return SimilarityOf(Characters(a), Characters(b));
}

std::string MarkDifference(std::string_view wanted, std::string_view found) {
  const std::u32string a = Characters(wanted), b = Characters(found);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t front = 0, back = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return Bytes(a.substr(0, front)) + "{-" + Bytes(a.substr(front, a.size() - back - front)) +
         "-}{+" + Bytes(b.substr(front, b.size() - back - front)) + "+}" +
         Bytes(a.substr(a.size() - back));
}

}  // namespace viv::tools::commander
