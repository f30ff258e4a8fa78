#include "local/local_annotation.h"

#include <algorithm>

namespace viv::local {

bool LocalAnnotation::Has(std::string_view server) const {
  return std::any_of(servers.begin(), servers.end(),
                     [server](const Server& it) { return it.name == server; });
}

std::string WriteLocalAnnotation(const LocalAnnotation& annotation) {
  json::array servers;
  for (const LocalAnnotation::Server& server : annotation.servers) {
    servers.push_back(json::object{{"name", server.name}, {"id", server.id}});
  }
  json::object text{{"servers", std::move(servers)}, {"benchmark", annotation.benchmark}};
  if (!annotation.dialect_data.empty()) text["more"] = annotation.dialect_data;
  return WriteJson(text);
}

Result<LocalAnnotation> ReadLocalAnnotation(std::string_view text) {
  ASSIGN_OR_RETURN(json::value value, ParseJson(text), "the annotation of a local sandbox");
  LocalAnnotation annotation;
  const json::value* servers = Find(value, "servers");
  if (servers == nullptr || !servers->is_array()) {
    return Fail(ErrorCode::kInternal, "the annotation of a local sandbox has no servers");
  }
  for (const json::value& server : servers->get_array()) {
    annotation.servers.push_back({.name = std::string(FindString(server, "name")),
                                  .id = std::string(FindString(server, "id"))});
  }
  annotation.benchmark = FindString(value, "benchmark");
  const json::value* dialect_data = Find(value, "more");
  if (dialect_data != nullptr && dialect_data->is_object())
    annotation.dialect_data = dialect_data->get_object();
  return annotation;
}

std::optional<LocalAnnotation> LocalAnnotationOf(const boxes::Box& box) {
  auto found = box.spec.annotations.find(kLocalAnnotation);
  if (found == box.spec.annotations.end()) return std::nullopt;
  Result<LocalAnnotation> annotation = ReadLocalAnnotation(found->second);
  return annotation ? std::optional(*std::move(annotation)) : std::nullopt;
}

}  // namespace viv::local
