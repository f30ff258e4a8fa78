#include "tools/desktop_commander/output_tail.h"

namespace viv::tools::commander {

void OutputTail::Add(std::string_view bytes) {
  kept_ += bytes;
  if (kept_.size() < 2 * kBytesMax) return;
  const std::size_t more = kept_.size() - kBytesMax;
  kept_.erase(0, more);
  dropped_ += more;
}

std::string OutputTail::Text() const {
  const std::size_t hidden = kept_.size() > kBytesMax ? kept_.size() - kBytesMax : 0;
  if (dropped_ + hidden == 0) return kept_;
  std::string_view shown = std::string_view(kept_).substr(hidden);
  // Not from the middle of a character.
  while (!shown.empty() && (static_cast<unsigned char>(shown.front()) & 0xc0) == 0x80)
    shown.remove_prefix(1);
  return "[" + std::to_string(dropped_ + hidden) + " bytes of earlier output were dropped]\n" +
         std::string(shown);
}

std::string OutputTail::Take() {
  std::string text = Text();
  kept_.clear();
  dropped_ = 0;
  return text;
}

}  // namespace viv::tools::commander
