#include "agent/errno_text.h"

#include <cstring>

namespace viv::agent {

std::string ErrnoText(int code) {
  const char* description = ::strerrordesc_np(code);
  if (description == nullptr) return "error " + std::to_string(code);
  std::string text(description);
  if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace viv::agent
