#include "tools/localmemory/localmemory.h"

#include <algorithm>

#include "tools/localmemory/memory_file.h"

namespace viv {
extern const std::string_view kLocalMemoryTools;
}

namespace viv::tools {
namespace localmemory {
namespace {

CallResult AsCall(Result<std::string> text) {
  if (!text) return tl::unexpected(CallFailure{-32603, text.error().message});
  return Text(std::move(*text));
}

// Those who pass messages on take 32 MiB.
constexpr std::size_t kAnswerBytesMax = 30 << 20;

// Indented JSON as it is once more within JSON, where a quote, a backslash and a line feed take two
// bytes.
std::size_t BytesInMessage(std::string_view text) {
  return text.size() + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
           return c == '"' || c == '\\' || c == '\n';
         }));
}

using Query = std::function<json::object(const Graph&, const Arguments&)>;

void BindQuery(ToolServer& server, std::string_view tool, const MemoryFile& file, Query query) {
  server.On(tool, [file, query](const Arguments& arguments, const CallContext&) {
    const auto graph = file.Read();
    if (!graph) return AsCall(tl::unexpected(graph.error()));
    std::string text = PrettyJson(query(*graph, arguments));
    if (BytesInMessage(text) > kAnswerBytesMax)
      return AsCall(Fail(ErrorCode::kLimitExceeded,
                         "The graph is too large to give at once: use search_nodes or open_nodes"));
    return AsCall(std::move(text));
  });
}

// What the tool says in the end.
using Change = std::function<Result<std::string>(Graph&, const Arguments&)>;

void BindChange(ToolServer& server, std::string_view tool, const MemoryFile& file, Change change) {
  server.On(tool, [file, change](const Arguments& arguments, const CallContext&) {
    std::string said;
    const Status done = file.Change([&](Graph& graph) -> Status {
      ASSIGN_OR_RETURN(said, change(graph, arguments));
      return {};
    });
    if (!done) return AsCall(tl::unexpected(done.error()));
    return AsCall(std::move(said));
  });
}

void BindAdding(ToolServer& server, const MemoryFile& file) {
  BindChange(server, "create_entities", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               return PrettyJson(AddEntities(graph, arguments.List("entities")));
             });
  BindChange(server, "create_relations", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               return PrettyJson(AddRelations(graph, arguments.List("relations")));
             });
  BindChange(server, "add_observations", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               ASSIGN_OR_RETURN(json::array added,
                                AddObservations(graph, arguments.List("observations")));
               return PrettyJson(added);
             });
}

void BindRemoving(ToolServer& server, const MemoryFile& file) {
  BindChange(server, "delete_entities", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               RemoveEntities(graph, arguments.Texts("entityNames"));
               return "Entities deleted successfully";
             });
  BindChange(server, "delete_observations", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               RemoveObservations(graph, arguments.List("deletions"));
               return "Observations deleted successfully";
             });
  BindChange(server, "delete_relations", file,
             [](Graph& graph, const Arguments& arguments) -> Result<std::string> {
               RemoveRelations(graph, arguments.List("relations"));
               return "Relations deleted successfully";
             });
}

void BindQueries(ToolServer& server, const MemoryFile& file) {
  BindQuery(server, "read_graph", file,
            [](const Graph& graph, const Arguments&) { return WholeGraph(graph); });
  BindQuery(server, "search_nodes", file, [](const Graph& graph, const Arguments& arguments) {
    return GraphAround(graph, arguments.Text("query"));
  });
  BindQuery(server, "open_nodes", file, [](const Graph& graph, const Arguments& arguments) {
    return GraphOf(graph, arguments.Texts("names"));
  });
}

}  // namespace
}  // namespace localmemory

std::unique_ptr<ToolServer> MakeLocalMemory(const ToolServerOptions& options) {
  ServerInfo info{.name = "localmemory",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kFailure};
  auto server = std::make_unique<ToolServer>(std::move(info), kLocalMemoryTools);
  const bool atlas = options.profile == "MCP_Atlas";
  const localmemory::MemoryFile file(
      options.workspace,
      atlas ? "repos/memory_mcp_server/memories-for-mcp.json" : "memory/memory.json");
  localmemory::BindAdding(*server, file);
  localmemory::BindRemoving(*server, file);
  localmemory::BindQueries(*server, file);
  return server;
}

}  // namespace viv::tools
