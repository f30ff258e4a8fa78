// A memory file that anybody may have written: what was read must be written and read again alike.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tools/localmemory/graph.h"

FUZZ_TARGET(memory_graph)(const std::uint8_t* data, std::size_t size) {
  using namespace viv::tools::localmemory;
  auto graph = ParseGraph(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!graph) return 0;
  (void)GraphAround(*graph, "a");
  const auto again = ParseGraph(WriteGraph(*graph));
  if (!again || again->entities.size() != graph->entities.size() ||
      again->relations.size() != graph->relations.size() ||
      again->others.size() != graph->others.size())
    std::abort();
  RemoveEntities(*graph, {"a"});
  return 0;
}
