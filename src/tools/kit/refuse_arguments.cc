#include "schema/json_schema.h"
#include "tools/kit/pydantic_check.h"
#include "tools/kit/tool_server.h"
#include "tools/kit/zod_check.h"

namespace viv::tools {

std::optional<CallResult> RefuseArguments(ArgumentErrors errors,
                                          std::string_view tool,
                                          const json::object& schema,
                                          json::object& arguments) {
  const std::string name(tool);
  switch (errors) {
    case ArgumentErrors::kZod:
      if (const auto issues = FindZodIssues(schema, arguments); !issues.empty())
        return CallResult(
            ErrorText("MCP error -32602: Input validation error: Invalid arguments for tool " +
                      name + ": " + RenderZodLines(issues)));
      return std::nullopt;
    case ArgumentErrors::kZodParse:
      if (const auto issues = FindZodIssues(schema, arguments); !issues.empty())
        return CallResult(ErrorText("Error: " + RenderZodJson(issues)));
      return std::nullopt;
    case ArgumentErrors::kPydantic:
      if (const std::string problem = FitPydantic(tool, schema, arguments); !problem.empty())
        return CallResult(ErrorText("Error executing tool " + name + ": " + problem));
      return std::nullopt;
    case ArgumentErrors::kJsonSchema:
      if (auto violation = schema::FindSchemaViolation(schema, arguments))
        return CallResult(ErrorText("Input validation error: " + *violation));
      return std::nullopt;
    case ArgumentErrors::kFailure:
      if (auto violation = schema::FindSchemaViolation(schema, arguments))
        return CallResult(tl::unexpected(
            CallFailure{-32603, "Invalid arguments for " + name + ": " + *violation}));
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace viv::tools
