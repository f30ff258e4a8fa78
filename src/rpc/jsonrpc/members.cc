#include "rpc/jsonrpc/members.h"

#include <algorithm>

namespace viv::rpc {
namespace {

constexpr std::string_view kJsonSpace = " \t\r\n";

// Walks over the members of one object without looking into their values.
class MemberWalk {
 public:
  explicit MemberWalk(std::string_view object) : text_(object) { Begin(); }

  // False at the end, or where the text makes no sense.
  bool Next() {
    if (!good_ || at_ >= text_.size() || text_[at_] != '"') return false;
    std::size_t begin = at_;
    SkipString();
    if (!good_) return false;
    name_ = text_.substr(begin + 1, at_ - begin - 2);
    SkipSpace();
    if (!Take(':')) return false;
    SkipSpace();
    begin = at_;
    SkipValue();
    if (!good_ || at_ == begin) return good_ = false;
    value_ = text_.substr(begin, at_ - begin);
    SkipSpace();
    if (Take(',')) SkipSpace();
    return true;
  }
  std::string_view name() const { return name_; }
  std::string_view value() const { return value_; }

 private:
  void Begin() {
    SkipSpace();
    good_ = Take('{');
    SkipSpace();
  }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() { at_ = std::min(text_.find_first_not_of(kJsonSpace, at_), text_.size()); }
  // At a quote; ends behind the closing one.
  void SkipString() {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        at_ = i + 1;
        return;
      }
    }
    good_ = false;
  }
  void SkipValue() {
    std::size_t depth = 0;
    while (at_ < text_.size() && good_) {
      char c = text_[at_];
      if (c == '"') {
        SkipString();
        if (depth == 0) return;
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') {
        if (depth == 0) return;  // of the object itself, behind a number or word
        if (--depth == 0) {
          ++at_;
          return;
        }
      }
      if (depth == 0 && (c == ',' || kJsonSpace.find(c) != std::string_view::npos)) return;
      ++at_;
    }
    good_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
  std::string_view name_;
  std::string_view value_;
};

}  // namespace

std::optional<std::string_view> FindMember(std::string_view object, std::string_view name) {
  std::optional<std::string_view> found;
  for (MemberWalk walk(object); walk.Next();) {
    if (walk.name() == name) found = walk.value();
  }
  return found;
}

std::string ReplacePart(std::string_view object, std::string_view place, std::string_view value) {
  std::size_t at = static_cast<std::size_t>(place.data() - object.data());
  std::string out;
  out.reserve(object.size() + value.size());
  out.append(object.substr(0, at)).append(value).append(object.substr(at + place.size()));
  return out;
}

std::string WithMember(std::string object, std::string_view member) {
  std::size_t begin = object.find_first_not_of(kJsonSpace);
  if (begin == std::string::npos || object[begin] != '{') return object;
  std::size_t next = object.find_first_not_of(kJsonSpace, begin + 1);
  bool empty = next == std::string::npos || object[next] == '}';
  std::string added(member);
  if (!empty) added += ',';
  object.insert(begin + 1, added);
  return object;
}

}  // namespace viv::rpc
