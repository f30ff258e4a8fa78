#pragma once
// An MCP server with tools, free of any transport. Its tools are data (a JSON list in the shape of
// tools/list, built into the program); code binds one function to each name. Thread-safe once
// bound: calls of tools that allow it run beside each other.

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tools/kit/arguments.h"
#include "tools/kit/tool_result.h"

namespace viv::tools {

// The format of errors for invalid arguments; each is that of one family of servers.
enum class ArgumentErrors {
  kZod,         // TypeScript SDK: "MCP error -32602: Input validation error: …" as an answer
  kZodParse,    // servers that parse with zod 3 themselves: "Error: [ … ]", a list of issues
  kPydantic,    // FastMCP: "Error executing tool TOOL: N validation errors for …"
  kJsonSchema,  // Python's low-level server: "Input validation error: …"
  kFailure      // as a JSON-RPC error
};

struct ServerInfo {
  std::string name;
  std::string version;
  std::string instructions;
  ArgumentErrors errors = ArgumentErrors::kZod;
};

struct CallContext {
  const std::atomic<bool>& cancelled;  // becomes true when the caller gives up
  std::function<void(double progress, double total, std::string message)> progress;  // may be empty
};

enum class Concurrency {
  kExclusive,
  kParallel
};  // whether calls of the tool run one at a time, with other exclusive ones

class ToolServer {
 public:
  using Handler = std::function<CallResult(const Arguments&, const CallContext&)>;

  // `definitions` is a JSON array of {name, description, inputSchema, annotations?, outputSchema?}
  // that comes with the program.
  ToolServer(ServerInfo info, std::string_view definitions);

  void On(std::string_view tool,
          Handler handler,
          Concurrency concurrency = Concurrency::kExclusive);
  // Callable, but not listed; `translate` makes the tool's arguments of those of the alias.
  using Translate = std::function<json::object(json::object)>;
  void Alias(std::string name, std::string_view tool, Translate translate = {});
  // The tools without a handler; a test of each server wants none.
  std::vector<std::string> Unbound() const;

  const ServerInfo& info() const { return info_; }
  const json::array& definitions() const { return definitions_; }
  CallResult Call(std::string_view tool, json::object arguments, const CallContext& context);

 private:
  struct Tool {
    const json::object* definition = nullptr;
    Handler handler;
    Concurrency concurrency = Concurrency::kExclusive;
  };
  CallResult RefuseUnknown(std::string_view tool) const;

  ServerInfo info_;
  json::array definitions_;
  std::map<std::string, Tool, std::less<>> tools_;
  struct AliasOf {
    std::string tool;
    Translate translate;
  };
  std::map<std::string, AliasOf, std::less<>> aliases_;
  std::mutex exclusive_mutex_;
};

// Nothing when the arguments fit; otherwise how this family of servers says that they do not. Some
// families convert what they are given ("5" for a number), so the arguments may change.
std::optional<CallResult> RefuseArguments(ArgumentErrors errors,
                                          std::string_view tool,
                                          const json::object& schema,
                                          json::object& arguments);

}  // namespace viv::tools
