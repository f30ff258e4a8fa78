#include "tools/kit/tool_server.h"

#include "base/check.h"
#include "schema/json_schema.h"

namespace viv::tools {

ToolServer::ToolServer(ServerInfo info, std::string_view definitions) : info_(std::move(info)) {
  auto parsed = ParseJson(definitions);
  CHECK(parsed.has_value() && parsed->is_array());
  definitions_ = std::move(parsed->get_array());
  for (const json::value& definition : definitions_) {
    Tool tool;
    tool.definition = &definition.get_object();
    tools_.emplace(FindString(definition, "name"), std::move(tool));
  }
}

void ToolServer::On(std::string_view name, Handler handler, Concurrency concurrency) {
  auto tool = tools_.find(name);
  CHECK(tool != tools_.end());
  tool->second.handler = std::move(handler);
  tool->second.concurrency = concurrency;
}

void ToolServer::Alias(std::string name, std::string_view tool, Translate translate) {
  CHECK(tools_.contains(tool));
  aliases_.emplace(std::move(name), AliasOf{std::string(tool), std::move(translate)});
}

std::vector<std::string> ToolServer::Unbound() const {
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools_)
    if (!tool.handler) names.push_back(name);
  return names;
}

CallResult ToolServer::RefuseUnknown(std::string_view tool) const {
  const std::string name(tool);
  switch (info_.errors) {
    case ArgumentErrors::kZod:
      return ErrorText("MCP error -32602: Tool " + name + " not found");
    case ArgumentErrors::kZodParse:
      return ErrorText("Error: Unknown tool: " + name);
    case ArgumentErrors::kPydantic:
    case ArgumentErrors::kJsonSchema:
      return ErrorText("Unknown tool: " + name);
    case ArgumentErrors::kFailure:
      return tl::unexpected(CallFailure{-32603, "Unknown tool: " + name});
  }
  return ErrorText("Unknown tool: " + name);
}

CallResult ToolServer::Call(std::string_view name,
                            json::object arguments,
                            const CallContext& context) {
  if (auto alias = aliases_.find(name); alias != aliases_.end()) {
    name = alias->second.tool;
    if (alias->second.translate) arguments = alias->second.translate(std::move(arguments));
  }
  const auto found = tools_.find(name);
  if (found == tools_.end() || !found->second.handler) return RefuseUnknown(name);
  const Tool& tool = found->second;
  const json::object& schema = tool.definition->at("inputSchema").get_object();
  if (auto refusal = RefuseArguments(info_.errors, name, schema, arguments)) return *refusal;
  const Arguments checked(schema::WithDefaults(schema, std::move(arguments)));
  if (tool.concurrency == Concurrency::kParallel) return tool.handler(checked, context);
  const std::lock_guard lock(exclusive_mutex_);
  return tool.handler(checked, context);
}

}  // namespace viv::tools
