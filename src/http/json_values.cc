#include "http/json_values.h"

namespace viv::http {

void JsonValueCount::Feed(std::string_view piece) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (escaped_) {
      escaped_ = false;
      continue;
    }
    if (in_text_) {
      i = piece.find_first_of("\"\\", i);
      if (i == std::string_view::npos) return;
      in_text_ = piece[i] == '\\';
      escaped_ = in_text_;
      continue;
    }
    switch (piece[i]) {
      case '"':
        in_text_ = true;
        break;
      case ',':
      case ':':
      case '[':
      case '{':
        ++count_;
        break;
      default:
        break;
    }
  }
}

}  // namespace viv::http
