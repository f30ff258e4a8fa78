#include "tools/filesystem/glob_segment.h"

#include <array>
#include <optional>

namespace viv::tools::filesystem {
namespace {

using Element = GlobSegment::Element;
using Sequence = GlobSegment::Sequence;
using Positions = std::vector<bool>;  // of a name: one more than it has characters

constexpr int kGroupDepthMax = 3;
constexpr std::int64_t kMatchWorkMax = 2'000'000;

struct NamedKind {
  std::u16string_view name;
  CharacterKind kind;
};
constexpr std::array<NamedKind, 14> kNamedKinds = {{{u"[:alpha:]", CharacterKind::kAlpha},
                                                    {u"[:digit:]", CharacterKind::kDigit},
                                                    {u"[:alnum:]", CharacterKind::kAlnum},
                                                    {u"[:upper:]", CharacterKind::kUpper},
                                                    {u"[:lower:]", CharacterKind::kLower},
                                                    {u"[:space:]", CharacterKind::kSpace},
                                                    {u"[:blank:]", CharacterKind::kBlank},
                                                    {u"[:punct:]", CharacterKind::kPunct},
                                                    {u"[:xdigit:]", CharacterKind::kXdigit},
                                                    {u"[:word:]", CharacterKind::kWord},
                                                    {u"[:cntrl:]", CharacterKind::kCntrl},
                                                    {u"[:graph:]", CharacterKind::kGraph},
                                                    {u"[:print:]", CharacterKind::kPrint},
                                                    {u"[:ascii:]", CharacterKind::kAscii}}};

// Beyond ASCII every character counts as a letter of no case.
bool IsOfKind(char16_t c, CharacterKind kind) {
  const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
  const bool digit = c >= '0' && c <= '9', alpha = lower || upper || c >= 0xAA;
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool space = c == ' ' || (c >= 9 && c <= 13) || c == 0xA0;
  switch (kind) {
    case CharacterKind::kAlpha:
      return alpha;
    case CharacterKind::kDigit:
      return digit;
    case CharacterKind::kAlnum:
      return alpha || digit;
    case CharacterKind::kUpper:
      return upper;
    case CharacterKind::kLower:
      return lower;
    case CharacterKind::kSpace:
      return space;
    case CharacterKind::kBlank:
      return c == ' ' || c == '\t' || c == 0xA0;
    case CharacterKind::kPunct:
      // Unicode does not count $+<=>^`|~ as punctuation but as symbols.
      return c > ' ' && c < 0x7F && !alpha && !digit &&
             std::u16string_view(u"$+<=>^`|~").find(c) == std::u16string_view::npos;
    case CharacterKind::kXdigit:
      return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    case CharacterKind::kWord:
      return alpha || digit || c == '_';
    case CharacterKind::kCntrl:
      return control;
    case CharacterKind::kGraph:
      return !control && !space;
    case CharacterKind::kPrint:
      return !control;
    case CharacterKind::kAscii:
      return c < 0x80;
  }
  return false;
}

class GlobParser {
 public:
  explicit GlobParser(std::u16string_view pattern) : pattern_(pattern) {}

  Sequence Parse() {
    Sequence out;
    while (at_ < pattern_.size()) ParseOne(out, 0);
    return out;
  }

 private:
  bool Has(std::size_t at) const { return at < pattern_.size(); }

  void ParseOne(Sequence& out, int depth) {
    const char16_t c = pattern_[at_];
    if (groups_ && depth < kGroupDepthMax && Has(at_ + 1) && pattern_[at_ + 1] == '(' &&
        std::u16string_view(u"?*+@!").find(c) != std::u16string_view::npos) {
      const std::size_t start = at_;
      if (auto group = ParseGroup(depth)) {
        out.push_back(std::move(*group));
        return;
      }
      at_ = start;  // It has no end, so what follows is no group either.
      groups_ = false;
    }
    if (c == '[' && ParseClass(out)) return;
    Element element;
    if (c == '?') {
      element.kind = Element::Kind::kAny;
    } else if (c == '*') {
      element.kind = Element::Kind::kStar;
    } else {
      if (c == '\\' && Has(at_ + 1)) ++at_;
      element.character = pattern_[at_];
    }
    ++at_;
    const bool repeated = element.kind == Element::Kind::kStar && !out.empty() &&
                          out.back().kind == Element::Kind::kStar;
    if (!repeated) out.push_back(std::move(element));
  }

  std::optional<Element> ParseGroup(int depth) {
    Element group;
    group.kind = Element::Kind::kGroup;
    group.character = pattern_[at_];
    at_ += 2;
    Sequence alternative;
    while (Has(at_) && groups_) {
      const char16_t c = pattern_[at_];
      if (c == '|' || c == ')') {
        ++at_;
        group.alternatives.push_back(std::move(alternative));
        alternative.clear();
        if (c == ')') return group;
      } else {
        ParseOne(alternative, depth + 1);
      }
    }
    return std::nullopt;
  }

  // False when the bracket has no end and stands for itself.
  bool ParseClass(Sequence& out) {
    Element element;
    element.kind = Element::Kind::kClass;
    std::size_t i = at_ + 1;
    if (Has(i) && (pattern_[i] == '!' || pattern_[i] == '^')) {
      element.negated = true;
      ++i;
    }
    char16_t range_start = 0;
    bool in_range = false, closed = false;
    for (bool first = true; Has(i); first = false) {
      char16_t c = pattern_[i];
      if (c == ']' && !first) {
        closed = true;
        break;
      }
      if (c == '[' && !in_range && TakeNamedKind(element, i)) continue;
      if (c == '\\' && Has(i + 1)) c = pattern_[++i];
      ++i;
      if (in_range) {
        if (c >= range_start) element.ranges.emplace_back(range_start, c);
        in_range = false;
      } else if (Has(i + 1) && pattern_[i] == '-' && pattern_[i + 1] != ']') {
        range_start = c;
        in_range = true;
        ++i;
      } else {
        element.ranges.emplace_back(c, c);
      }
    }
    if (!closed) return false;
    // Without anything in it a class matches nothing, even when negated.
    if (element.ranges.empty() && element.kinds.empty()) element.negated = false;
    out.push_back(std::move(element));
    at_ = i + 1;
    return true;
  }

  bool TakeNamedKind(Element& element, std::size_t& i) const {
    for (const NamedKind& named : kNamedKinds) {
      if (!pattern_.substr(i).starts_with(named.name)) continue;
      element.kinds.push_back(named.kind);
      i += named.name.size();
      return true;
    }
    return false;
  }

  std::u16string_view pattern_;
  std::size_t at_ = 0;
  bool groups_ = true;
};

class SegmentMatcher {
 public:
  explicit SegmentMatcher(std::u16string_view name) : name_(name) {}

  // Where a match of `sequence` may begin that ends at one of `ends`.
  Positions Begins(const Sequence& sequence, Positions ends) {
    for (auto element = sequence.rbegin(); element != sequence.rend(); ++element) {
      work_ += static_cast<std::int64_t>(name_.size()) + 1;
      if (work_ > kMatchWorkMax) return Positions(name_.size() + 1, false);
      ends = element->kind == Element::Kind::kGroup ? BeginsOfGroup(*element, ends)
                                                    : BeginsOfOne(*element, ends);
    }
    return ends;
  }

  bool WasTooMuch() const { return work_ > kMatchWorkMax; }

 private:
  Positions BeginsOfOne(const Element& element, const Positions& ends) const {
    Positions begins(ends.size(), false);
    bool reachable = false;
    for (std::size_t i = ends.size(); i-- > 0;) {
      reachable = reachable || ends[i];
      if (element.kind == Element::Kind::kStar) {
        begins[i] = reachable;
      } else if (i < name_.size() && ends[i + 1]) {
        begins[i] = Fits(element, name_[i]);
      }
    }
    return begins;
  }

  Positions BeginsOfAny(const Element& group, const Positions& ends) {
    Positions begins(ends.size(), false);
    for (const Sequence& alternative : group.alternatives) {
      const Positions some = Begins(alternative, ends);
      for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = begins[i] || some[i];
    }
    return begins;
  }

  Positions BeginsOfGroup(const Element& group, const Positions& ends) {
    Positions begins = BeginsOfAny(group, ends);
    if (group.character == '!') {
      bool reachable = false;
      for (std::size_t i = ends.size(); i-- > 0;) {
        reachable = reachable || ends[i];
        begins[i] = reachable && !begins[i];
      }
      return begins;
    }
    if (group.character == '+' || group.character == '*') {
      for (bool grew = true; grew && !WasTooMuch();) {
        Positions further = BeginsOfAny(group, begins);
        grew = false;
        for (std::size_t i = 0; i < begins.size(); ++i) {
          grew = grew || (further[i] && !begins[i]);
          begins[i] = begins[i] || further[i];
        }
      }
    }
    if (group.character == '*' || group.character == '?')
      for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = begins[i] || ends[i];
    return begins;
  }

  static bool Fits(const Element& element, char16_t c) {
    if (element.kind == Element::Kind::kAny) return true;
    if (element.kind == Element::Kind::kCharacter) return element.character == c;
    bool within = false;
    for (const auto& [from, to] : element.ranges) within = within || (c >= from && c <= to);
    for (const CharacterKind kind : element.kinds) within = within || IsOfKind(c, kind);
    return within != element.negated;
  }

  std::u16string_view name_;
  std::int64_t work_ = 0;
};

}  // namespace

GlobSegment::GlobSegment(std::u16string_view pattern) : elements_(GlobParser(pattern).Parse()) {}

bool GlobSegment::Matches(std::u16string_view name) const {
  SegmentMatcher matcher(name);
  Positions end(name.size() + 1, false);
  end[name.size()] = true;
  const Positions begins = matcher.Begins(elements_, std::move(end));
  return !matcher.WasTooMuch() && begins[0];
}

}  // namespace viv::tools::filesystem
