#include "engine/functions/html.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "engine/functions/code_points.h"
#include "engine/functions/families.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kEntityBytesMax = 12;

struct Entity {
  std::string_view name;
  char32_t letter;
};
constexpr Entity kEntities[] = {
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},     {"apos", '\''},
    {"nbsp", ' '},     {"copy", 0xa9},    {"reg", 0xae},     {"trade", 0x2122}, {"hellip", 0x2026},
    {"mdash", 0x2014}, {"ndash", 0x2013}, {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"ldquo", 0x201c},
    {"rdquo", 0x201d}, {"laquo", 0xab},   {"raquo", 0xbb},   {"bull", 0x2022},  {"middot", 0xb7},
    {"euro", 0x20ac},  {"pound", 0xa3},   {"yen", 0xa5},     {"cent", 0xa2},    {"sect", 0xa7},
    {"deg", 0xb0},     {"times", 0xd7},   {"divide", 0xf7},  {"plusmn", 0xb1},  {"rarr", 0x2192},
    {"larr", 0x2190},  {"uarr", 0x2191},  {"darr", 0x2193},  {"auml", 0xe4},    {"ouml", 0xf6},
    {"uuml", 0xfc},    {"Auml", 0xc4},    {"Ouml", 0xd6},    {"Uuml", 0xdc},    {"szlig", 0xdf},
    {"eacute", 0xe9},  {"egrave", 0xe8},  {"agrave", 0xe0},  {"ccedil", 0xe7},  {"ntilde", 0xf1},
    {"zwnj", 0x200c},  {"zwj", 0x200d},   {"ensp", ' '},     {"emsp", ' '},     {"thinsp", ' '}};

std::optional<char32_t> NumericEntity(std::string_view digits) {
  int base = 10;
  if (digits.starts_with('x') || digits.starts_with('X')) {
    base = 16;
    digits.remove_prefix(1);
  }
  std::uint32_t code = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return code == 0 ? 0xfffd : static_cast<char32_t>(code);
}

// The character that "amp", "#65" or "#x41" stands for.
std::optional<char32_t> EntityOf(std::string_view name) {
  if (name.starts_with('#')) return NumericEntity(name.substr(1));
  const auto* found = std::find_if(std::begin(kEntities), std::end(kEntities),
                                   [&](const Entity& entity) { return entity.name == name; });
  return found == std::end(kEntities) ? std::nullopt : std::optional(found->letter);
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The text built so far. Space and line breaks are owed until the next word, so that none stand
// at the beginning, the end, or twice.
class HtmlLines {
 public:
  void Word(std::string_view bytes) {
    Settle();
    out_ += bytes;
  }
  void Letter(char32_t letter) {
    Settle();
    AppendCodePoint(out_, letter);
  }
  void Space() { space_ = true; }
  void Break(int lines) { breaks_ = std::max(breaks_, lines); }  // at least so many
  void NextLine() { ++breaks_; }                                 // one more
  std::string Take() { return std::move(out_); }

 private:
  void Settle() {
    if (!out_.empty()) {
      if (breaks_ > 0) {
        out_.append(static_cast<std::size_t>(std::min(breaks_, 2)), '\n');
      } else if (space_ && out_.back() != ' ') {
        out_ += ' ';
      }
    }
    breaks_ = 0;
    space_ = false;
  }

  std::string out_;
  int breaks_ = 0;
  bool space_ = false;
};

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) {}

  std::string Read() {
    while (at_ < html_.size()) {
      char c = html_[at_];
      if (c == '<' && StartsTag()) {
        Markup();
      } else if (c == '&') {
        Reference();
      } else {
        Character(c);
      }
    }
    return lines_.Take();
  }

 private:
  bool StartsTag() const {
    if (at_ + 1 >= html_.size()) return false;
    char next = html_[at_ + 1];
    return next == '/' || next == '!' || next == '?' || (next >= 'a' && next <= 'z') ||
           (next >= 'A' && next <= 'Z');
  }

  void Character(char c) {
    ++at_;
    bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) {
      lines_.Word(std::string_view(&c, 1));
    } else if (preformatted_ > 0 && c == '\n') {
      lines_.NextLine();
    } else if (preformatted_ > 0 && c != '\r') {
      lines_.Word(std::string_view(&c, 1));
    } else {
      lines_.Space();
    }
  }

  void Reference() {
    std::string_view ahead = html_.substr(at_ + 1, kEntityBytesMax);
    std::size_t end = ahead.find(';');
    std::optional<char32_t> letter;
    if (end != std::string_view::npos) letter = EntityOf(ahead.substr(0, end));
    if (!letter) {
      Character('&');
    } else {
      at_ += end + 2;
      if (*letter == ' ') {
        lines_.Space();
      } else {
        lines_.Letter(*letter);
      }
    }
  }

  // A tag, a comment or a declaration. What is never closed swallows the rest, as in a browser.
  void Markup() {
    if (html_.substr(at_).starts_with("<!--")) {
      SkipPast("-->", at_ + 4);
      return;
    }
    std::size_t begin = at_ + 1;
    bool closing = html_[begin] == '/';
    std::size_t name_begin = begin + (closing ? 1 : 0);
    std::size_t name_end = html_.find_first_of(" \t\r\n/>", name_begin);
    std::string name;
    if (name_end != std::string_view::npos) {
      name = ToLower(html_.substr(name_begin, std::min<std::size_t>(name_end - name_begin, 16)));
    }
    SkipTag();
    if (!closing && IsOneOf(name, {"script", "style", "head", "title", "template"}))
      SkipElement(name);
    Apply(name, closing ? Side::kEnd : Side::kBegin);
  }

  enum class Side { kBegin, kEnd };

  void Apply(std::string_view name, Side side) {
    if (name == "br") {
      lines_.NextLine();
    } else if (IsOneOf(name, {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre",
                              "blockquote"})) {
      lines_.Break(2);
    } else if (IsOneOf(name, {"div", "li", "tr", "hr", "section", "article", "header", "footer",
                              "dt", "dd", "body", "form"})) {
      lines_.Break(1);
    } else if (IsOneOf(name, {"td", "th"})) {
      lines_.Space();
    }
    if (name == "li" && side == Side::kBegin) lines_.Word("- ");
    if (name == "pre")
      preformatted_ = side == Side::kBegin ? preformatted_ + 1 : std::max(0, preformatted_ - 1);
  }

  void SkipPast(std::string_view mark, std::size_t from) {
    std::size_t found = html_.find(mark, from);
    at_ = found == std::string_view::npos ? html_.size() : found + mark.size();
  }

  // To the end of the tag; a '>' in a quoted attribute does not end it.
  void SkipTag() {
    char quote = 0;
    for (; at_ < html_.size(); ++at_) {
      char c = html_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && html_[at_ - 1] == '=') {
        quote = c;
      } else if (c == '>') {
        ++at_;
        return;
      }
    }
  }

  void SkipElement(std::string_view name) {
    for (std::size_t from = at_; from < html_.size();) {
      std::size_t found = html_.find("</", from);
      if (found == std::string_view::npos) break;
      if (EqualsIgnoreCase(html_.substr(found + 2, name.size()), name)) {
        SkipPast(">", found);
        return;
      }
      from = found + 2;
    }
    at_ = html_.size();
  }

  std::string_view html_;
  std::size_t at_ = 0;
  int preformatted_ = 0;
  HtmlLines lines_;
};

Result<Value> HtmlToTextFunction(const Arguments& arguments) {
  return HtmlToText(arguments.Text(0));
}

Result<Value> TextToHtmlFunction(const Arguments& arguments) {
  return TextToHtml(arguments.Text(0));
}

}  // namespace

std::string HtmlToText(std::string_view html) {
  return HtmlReader(html).Read();
}

std::string TextToHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
        out += "<br>\n";
        break;
      case '\r':
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::span<const Function> HtmlFunctions() {
  static constexpr Function kFunctions[] = {{"html_to_text", 1, 1, HtmlToTextFunction},
                                            {"text_to_html", 1, 1, TextToHtmlFunction}};
  return kFunctions;
}

}  // namespace viv::engine::functions
