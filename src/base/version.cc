#include "base/version.h"

namespace viv {

std::string_view Version() {
  return VIV_VERSION;
}

}  // namespace viv
