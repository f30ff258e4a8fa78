#pragma once
// A knowledge graph: entities with facts about them, and relations between entities. Each is a JSON
// object with the members its maker gave it; lines of other kinds are kept as they were.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::tools::localmemory {

struct Graph {
  json::array entities;
  json::array relations;
  std::vector<std::string> others;  // lines that are neither
};

// JSON lines. A line that cannot be read fails the whole, with its number, so that nothing is lost
// by writing the rest back.
Result<Graph> ParseGraph(std::string_view text);
std::string WriteGraph(const Graph& graph);

// Those of `entities` (or `relations`) that the graph lacks are added, and given back.
json::array AddEntities(Graph& graph, const json::array& entities);
json::array AddRelations(Graph& graph, const json::array& relations);
// For each entity the facts that were new. kNotFound when an entity does not exist.
Result<json::array> AddObservations(Graph& graph, const json::array& observations);

void RemoveEntities(Graph& graph, const std::vector<std::string>& names);
void RemoveObservations(Graph& graph, const json::array& deletions);
void RemoveRelations(Graph& graph, const json::array& relations);

// The entities found, with the relations among them.
json::object WholeGraph(const Graph& graph);
json::object GraphAround(const Graph& graph, std::string_view query);
json::object GraphOf(const Graph& graph, const std::vector<std::string>& names);

}  // namespace viv::tools::localmemory
