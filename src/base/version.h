#pragma once
// The version of these programs. CMakeLists.txt states it once, as project(viv VERSION …).

#include <string_view>

namespace viv {

std::string_view Version();

}  // namespace viv
