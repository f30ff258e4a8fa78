#include "engine/query/terms.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "base/text.h"
#include "engine/query/terms_value.h"
#include "engine/query/words.h"

namespace viv::engine::query {
namespace {

bool IsBlank(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c));
}

bool IsKeyChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

struct Item {
  Condition condition;
  const Field* repeated = nullptr;  // the field, when naming it again means either
};

// Items as they come, until it is known what joins them.
class ItemList {
 public:
  explicit ItemList(OrBinds binds) : binds_(binds) {}

  void Or() { or_pending_ = true; }

  void Add(Item item) {
    bool joins = std::exchange(or_pending_, false) == (binds_ == OrBinds::kTight);
    if (!joins || groups_.empty()) groups_.emplace_back();
    groups_.back().push_back(std::move(item));
  }

  Condition Join() {
    if (binds_ == OrBinds::kTight) return AllOfAny();
    std::vector<Condition> alternatives;
    for (std::vector<Item>& group : groups_) {
      std::vector<std::vector<Item>> singles;
      for (Item& item : group) {
        singles.emplace_back();
        singles.back().push_back(std::move(item));
      }
      alternatives.push_back(Merge(std::move(singles)));
    }
    return alternatives.empty() ? Condition::All() : Condition::Any(std::move(alternatives));
  }

  Condition Either() {
    std::vector<Condition> alternatives;
    for (std::vector<Item>& group : groups_) {
      for (Item& item : group) alternatives.push_back(std::move(item.condition));
    }
    return alternatives.empty() ? Condition::All() : Condition::Any(std::move(alternatives));
  }

 private:
  Condition AllOfAny() { return Merge(std::move(groups_)); }

  // All of the groups, each any of its items; a repeated field joins its earlier group.
  static Condition Merge(std::vector<std::vector<Item>> groups) {
    std::vector<Condition> parts;
    std::map<const Field*, std::size_t> places;
    for (std::vector<Item>& group : groups) {
      const Field* repeated = group.size() == 1 ? group[0].repeated : nullptr;
      std::vector<Condition> alternatives;
      alternatives.reserve(group.size());
      for (Item& item : group) alternatives.push_back(std::move(item.condition));
      auto place = places.find(repeated);
      if (repeated != nullptr && place != places.end()) {
        parts[place->second].children.push_back(std::move(alternatives[0]));
        continue;
      }
      if (repeated != nullptr) places[repeated] = parts.size();
      parts.push_back(Condition::Any(std::move(alternatives)));
    }
    return Condition::All(std::move(parts));
  }

  OrBinds binds_;
  bool or_pending_ = false;
  std::vector<std::vector<Item>> groups_;
};

class TermsParser {
 public:
  TermsParser(std::string_view text, const Target& target, const Calendar& calendar)
      : text_(text), target_(target), calendar_(calendar) {}

  Result<Parsed> Parse() {
    Parsed parsed;
    ASSIGN_OR_RETURN(parsed.condition, ParseGroup(Group{}));
    parsed.sorts = std::move(sorts_);
    return parsed;
  }

 private:
  struct Group {
    char close = '\0';             // the bracket that ends it
    const Field* scope = nullptr;  // key:( … ): whose values the words are
    std::string_view key;
    std::size_t depth = 0;
  };

  bool AtEnd() const { return position_ >= text_.size(); }
  std::string_view Rest() const { return text_.substr(position_); }

  Result<Condition> ParseGroup(const Group& group) {
    if (group.depth > kDepthMax) return FailTooDeep();
    ItemList items(target_.or_binds);
    bool negated = false;
    while (true) {
      while (!AtEnd() && IsBlank(text_[position_])) ++position_;
      if (AtEnd()) break;
      char c = text_[position_];
      if (c == ')' || c == '}') {
        ++position_;
        if (c == group.close) break;
        continue;  // closes nothing
      }
      if (TakeKeyword("AND")) continue;
      if (TakeKeyword("OR")) {
        items.Or();
      } else if (TakeKeyword("NOT")) {
        negated = true;
      } else {
        ASSIGN_OR_RETURN(std::optional<Item> item, ParseItem(group));
        bool negate = std::exchange(negated, false);
        if (!item) continue;
        if (negate) *item = Item{Condition::Not(std::move(item->condition))};
        items.Add(*std::move(item));
      }
    }
    return group.close == '}' ? items.Either() : items.Join();
  }

  // AND, OR and NOT are operators only in capitals, as in the boxes this follows.
  bool TakeKeyword(std::string_view keyword) {
    std::string_view rest = Rest();
    if (!rest.starts_with(keyword)) return false;
    if (rest.size() > keyword.size() && !IsBlank(rest[keyword.size()]) &&
        std::string_view("(){}\"").find(rest[keyword.size()]) == std::string_view::npos) {
      return false;
    }
    position_ += keyword.size();
    return true;
  }

  Result<std::optional<Item>> ParseItem(const Group& group) {
    bool minus = Rest().size() > 1 && Rest()[0] == '-' && !IsBlank(Rest()[1]) && Rest()[1] != '-';
    if (minus) ++position_;
    ASSIGN_OR_RETURN(std::optional<Item> item, ParsePositive(group));
    if (minus && item) item = Item{Condition::Not(std::move(item->condition))};
    return item;
  }

  Result<std::optional<Item>> ParsePositive(const Group& group) {
    char c = text_[position_];
    if (c == '(' || c == '{') {
      ASSIGN_OR_RETURN(Condition inner, ParseBracket(group.scope, group.key, group.depth));
      return std::optional(Item{std::move(inner)});
    }
    if (c == '"') return WordItem(TakePhrase(), Quoted::kYes, group);
    std::size_t key_size = KeySize();
    if (key_size > 0) return ParseKey(key_size, group);
    return WordItem(TakeRun(group), Quoted::kNo, group);
  }

  Result<Condition> ParseBracket(const Field* scope, std::string_view key, std::size_t depth) {
    char close = text_[position_++] == '(' ? ')' : '}';
    return ParseGroup(Group{close, scope, key, depth + 1});
  }

  // The length of `key` when key: stands here and something follows it.
  std::size_t KeySize() const {
    std::string_view rest = Rest();
    if (!absl::ascii_isalpha(static_cast<unsigned char>(rest[0]))) return 0;
    std::size_t size = 0;
    while (size < rest.size() && IsKeyChar(rest[size])) ++size;
    bool colon = size < rest.size() && rest[size] == ':';
    bool is_url = rest.substr(std::min(size, rest.size())).starts_with("://");
    return colon && !is_url ? size : 0;
  }

  Result<std::optional<Item>> ParseKey(std::size_t key_size, const Group& group) {
    std::string_view key = Rest().substr(0, key_size);
    const Field* field = FindField(target_, key);
    if (field == nullptr && EqualsIgnoreCase(key, "sort") && TakeSort(key_size, group)) {
      return std::optional<Item>();
    }
    if (field == nullptr && target_.strict) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("Unknown search qualifier '{}:'.", key));
    }
    std::size_t start = position_;
    position_ += key_size + 1;
    bool phrase = !AtEnd() && text_[position_] == '"';
    if (field == nullptr) {
      if (!phrase) {
        position_ = start;
        return WordItem(TakeRun(group), Quoted::kNo, group);
      }
      std::string words = std::string(key) + ":" + std::string(TakePhrase());
      return WordItem(words, Quoted::kYes, group);
    }
    if (AtEnd() || IsBlank(text_[position_])) return std::optional<Item>();
    char c = text_[position_];
    if (c == '(' || c == '{') {
      ASSIGN_OR_RETURN(Condition inner, ParseBracket(field, key, group.depth));
      return std::optional(Item{std::move(inner)});
    }
    std::string_view value = phrase ? TakePhrase() : TakeRun(group);
    return ValueItem(*field, TermValue{key, value, phrase});
  }

  // sort:created-asc; nothing happens unless the field exists and can be ordered by.
  bool TakeSort(std::size_t key_size, const Group& group) {
    std::size_t start = position_;
    position_ += key_size + 1;
    std::string_view name = TakeRun(group);
    bool ascending = name.ends_with("-asc");
    if (ascending) name.remove_suffix(4);
    if (name.ends_with("-desc")) name.remove_suffix(5);
    const Field* field = FindField(target_, name);
    if (field == nullptr || (field->sql.empty() && field->order.empty()) || sorts_.size() >= 50) {
      position_ = start;
      return false;
    }
    sorts_.push_back(Sort{field, "", !ascending});
    return true;
  }

  // At a quote; one that is never closed reaches to the end.
  std::string_view TakePhrase() {
    std::size_t begin = position_ + 1;
    std::size_t close = text_.find('"', begin);
    if (close == text_.npos) close = text_.size();
    position_ = std::min(close + 1, text_.size());
    return text_.substr(begin, close - begin);
  }

  std::string_view TakeRun(const Group& group) {
    std::size_t begin = position_;
    while (!AtEnd() && !IsBlank(text_[position_])) {
      if (group.close != '\0' && (text_[position_] == ')' || text_[position_] == '}')) break;
      ++position_;
    }
    return text_.substr(begin, position_ - begin);
  }

  enum class Quoted { kNo, kYes };

  Result<std::optional<Item>> WordItem(std::string_view word, Quoted quoted, const Group& group) {
    if (quoted == Quoted::kNo) word = PlainWord(word);
    if (word.empty()) return std::optional<Item>();
    if (group.scope != nullptr) {
      return ValueItem(*group.scope, TermValue{group.key, word, quoted == Quoted::kYes});
    }
    if (word.size() > kValueBytesMax) return FailTooLong();
    if (target_.text.empty()) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("'{}' is no key:value, and free words cannot be searched here", word));
    }
    RETURN_IF_ERROR(budget_.Take());
    return std::optional(Item{Condition::Text(std::string(word))});
  }

  Result<std::optional<Item>> ValueItem(const Field& field, const TermValue& value) {
    if (value.text.size() > kValueBytesMax) return FailTooLong();
    ASSIGN_OR_RETURN(Condition condition, ReadTermValue(field, value, target_, calendar_, budget_));
    return std::optional(Item{std::move(condition), field.repeat_or ? &field : nullptr});
  }

  static tl::unexpected<Error> FailTooLong() {
    return Fail(ErrorCode::kInvalidArgument, "a value of the query is too long");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  const Target& target_;
  const Calendar& calendar_;
  TermBudget budget_;
  std::vector<Sort> sorts_;
};

}  // namespace

Result<Parsed> ParseTerms(std::string_view text, const Target& target, const Calendar& calendar) {
  return TermsParser(text, target, calendar).Parse();
}

}  // namespace viv::engine::query
