#include "tools/localmemory/graph.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "tools/kit/tool_result.h"
#include "tools/localmemory/letter_case.h"

namespace viv::tools::localmemory {
namespace {

constexpr std::size_t kLinesMax = 1'000'000;

using RelationKey = std::tuple<std::string_view, std::string_view, std::string_view>;

RelationKey KeyOf(const json::value& relation) {
  return {FindString(relation, "from"), FindString(relation, "to"),
          FindString(relation, "relationType")};
}

std::set<RelationKey> KeysOf(const json::array& relations) {
  std::set<RelationKey> keys;
  for (const json::value& relation : relations) keys.insert(KeyOf(relation));
  return keys;
}

const json::array& ListOf(const json::value& holder, std::string_view name) {
  static const json::array kNone;
  const json::value* list = Find(holder, name);
  return list != nullptr && list->is_array() ? list->get_array() : kNone;
}

bool Holds(const json::array& list, const json::value& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The first entity of a name; duplicates can only come from a file that others wrote.
json::object* FindEntity(Graph& graph, std::string_view name) {
  for (json::value& entity : graph.entities)
    if (FindString(entity, "name") == name) return &entity.get_object();
  return nullptr;
}

json::object WithType(std::string_view type, const json::value& item) {
  json::object line{{"type", type}};
  for (const auto& member : item.get_object()) line[member.key()] = member.value();
  return line;
}

void AppendLine(std::string& out, std::string_view line) {
  if (!out.empty()) out += '\n';
  out += line;
}

void KeepIf(json::array& items, const std::function<bool(const json::value&)>& keep) {
  json::array kept;
  for (json::value& item : items)
    if (keep(item)) kept.push_back(std::move(item));
  items = std::move(kept);
}

json::object Selected(const Graph& graph, const std::function<bool(const json::value&)>& wanted) {
  json::array entities, relations;
  std::set<std::string_view> names;
  for (const json::value& entity : graph.entities) {
    if (!wanted(entity)) continue;
    names.insert(FindString(entity, "name"));
    entities.push_back(entity);
  }
  for (const json::value& relation : graph.relations)
    if (names.contains(FindString(relation, "from")) && names.contains(FindString(relation, "to")))
      relations.push_back(relation);
  return {{"entities", std::move(entities)}, {"relations", std::move(relations)}};
}

}  // namespace

Result<Graph> ParseGraph(std::string_view text) {
  Graph graph;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (++number > kLinesMax)
      return Fail(ErrorCode::kLimitExceeded, "it has more than a million lines");
    if (Trim(line).empty()) continue;
    const std::string decoded = AsUtf8(std::string(line));
    auto item = ParseJson(decoded);
    if (!item || !item->is_object())
      return Fail(ErrorCode::kInvalidArgument,
                  "line " + std::to_string(number) + " is not a JSON object: " +
                      (item ? std::string("it is another value") : item.error().message));
    const std::string_view type = FindString(*item, "type");
    if (type == "entity") {
      graph.entities.push_back(std::move(*item));
    } else if (type == "relation") {
      graph.relations.push_back(std::move(*item));
    } else {
      graph.others.emplace_back(line);
    }
  }
  return graph;
}

std::string WriteGraph(const Graph& graph) {
  std::string out;
  for (const json::value& entity : graph.entities)
    AppendLine(out, WriteJson(WithType("entity", entity)));
  for (const json::value& relation : graph.relations)
    AppendLine(out, WriteJson(WithType("relation", relation)));
  for (const std::string& line : graph.others) AppendLine(out, line);
  return out;
}

json::array AddEntities(Graph& graph, const json::array& entities) {
  std::set<std::string_view> known;
  for (const json::value& entity : graph.entities) known.insert(FindString(entity, "name"));
  json::array added;
  for (const json::value& entity : entities)
    if (!known.contains(FindString(entity, "name"))) added.push_back(entity);
  for (const json::value& entity : added) graph.entities.push_back(WithType("entity", entity));
  return added;
}

json::array AddRelations(Graph& graph, const json::array& relations) {
  const std::set<RelationKey> known = KeysOf(graph.relations);
  json::array added;
  for (const json::value& relation : relations)
    if (!known.contains(KeyOf(relation))) added.push_back(relation);
  for (const json::value& relation : added)
    graph.relations.push_back(WithType("relation", relation));
  return added;
}

Result<json::array> AddObservations(Graph& graph, const json::array& observations) {
  json::array results;
  for (const json::value& observation : observations) {
    const std::string name(FindString(observation, "entityName"));
    json::object* entity = FindEntity(graph, name);
    if (entity == nullptr)
      return Fail(ErrorCode::kNotFound, "Entity with name " + name + " not found");
    json::array known = ListOf(*entity, "observations"), added;
    for (const json::value& content : ListOf(observation, "contents"))
      if (!Holds(known, content)) added.push_back(content);
    known.insert(known.end(), added.begin(), added.end());
    (*entity)["observations"] = std::move(known);
    results.push_back({{"entityName", name}, {"addedObservations", std::move(added)}});
  }
  return results;
}

void RemoveEntities(Graph& graph, const std::vector<std::string>& names) {
  const std::set<std::string, std::less<>> gone(names.begin(), names.end());
  KeepIf(graph.entities,
         [&](const json::value& entity) { return !gone.contains(FindString(entity, "name")); });
  KeepIf(graph.relations, [&](const json::value& relation) {
    return !gone.contains(FindString(relation, "from")) &&
           !gone.contains(FindString(relation, "to"));
  });
}

void RemoveObservations(Graph& graph, const json::array& deletions) {
  for (const json::value& deletion : deletions) {
    json::object* entity = FindEntity(graph, FindString(deletion, "entityName"));
    if (entity == nullptr) continue;
    json::array facts = ListOf(*entity, "observations");
    KeepIf(facts,
           [&](const json::value& fact) { return !Holds(ListOf(deletion, "observations"), fact); });
    (*entity)["observations"] = std::move(facts);
  }
}

void RemoveRelations(Graph& graph, const json::array& relations) {
  const std::set<RelationKey> gone = KeysOf(relations);
  KeepIf(graph.relations,
         [&](const json::value& relation) { return !gone.contains(KeyOf(relation)); });
}

json::object WholeGraph(const Graph& graph) {
  return {{"entities", graph.entities}, {"relations", graph.relations}};
}

json::object GraphAround(const Graph& graph, std::string_view query) {
  const std::string wanted = LowerCase(query);
  const auto has = [&](std::string_view text) {
    return LowerCase(text).find(wanted) != std::string::npos;
  };
  return Selected(graph, [&](const json::value& entity) {
    if (has(FindString(entity, "name")) || has(FindString(entity, "entityType"))) return true;
    const json::array& facts = ListOf(entity, "observations");
    return std::any_of(facts.begin(), facts.end(), [&](const json::value& fact) {
      return fact.is_string() && has(View(fact.get_string()));
    });
  });
}

json::object GraphOf(const Graph& graph, const std::vector<std::string>& names) {
  const std::set<std::string, std::less<>> wanted(names.begin(), names.end());
  return Selected(graph, [&](const json::value& entity) {
    return wanted.contains(FindString(entity, "name"));
  });
}

}  // namespace viv::tools::localmemory
