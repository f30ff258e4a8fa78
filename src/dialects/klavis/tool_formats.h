#pragma once
// Describes tools in the formats of model vendors: the SDKs request the tools of an MCP server in
// one of these formats. Pure functions.

#include <optional>
#include <string_view>

#include "base/json.h"

namespace viv::klavis {

enum class ToolFormat { kOpenAi, kAnthropic, kGemini, kMcpNative };

std::optional<ToolFormat> ParseToolFormat(std::string_view name);
std::string_view NameOf(ToolFormat format);

// `tools` as tools/list has them. What is no tool is left out. For Gemini one entry declares all
// functions, with schemas cut to what its API takes.
json::array ToolsInFormat(ToolFormat format, const json::array& tools);

}  // namespace viv::klavis
