#include "local/local_note.h"

#include <algorithm>

namespace viv::local {

bool LocalNote::Has(std::string_view server) const {
  return std::any_of(servers.begin(), servers.end(),
                     [server](const Server& it) { return it.name == server; });
}

std::string WriteLocalNote(const LocalNote& note) {
  json::array servers;
  for (const LocalNote::Server& server : note.servers) {
    servers.push_back(json::object{{"name", server.name}, {"id", server.id}});
  }
  json::object text{{"servers", std::move(servers)}, {"benchmark", note.benchmark}};
  if (!note.more.empty()) text["more"] = note.more;
  return WriteJson(text);
}

Result<LocalNote> ReadLocalNote(std::string_view text) {
  ASSIGN_OR_RETURN(json::value value, ParseJson(text), "the note of a local sandbox");
  LocalNote note;
  const json::value* servers = Find(value, "servers");
  if (servers == nullptr || !servers->is_array()) {
    return Fail(ErrorCode::kInternal, "the note of a local sandbox has no servers");
  }
  for (const json::value& server : servers->get_array()) {
    note.servers.push_back({.name = std::string(FindString(server, "name")),
                            .id = std::string(FindString(server, "id"))});
  }
  note.benchmark = FindString(value, "benchmark");
  const json::value* more = Find(value, "more");
  if (more != nullptr && more->is_object()) note.more = more->get_object();
  return note;
}

std::optional<LocalNote> LocalNoteOf(const boxes::Box& box) {
  auto found = box.spec.notes.find(kLocalNote);
  if (found == box.spec.notes.end()) return std::nullopt;
  Result<LocalNote> note = ReadLocalNote(found->second);
  return note ? std::optional(*std::move(note)) : std::nullopt;
}

}  // namespace viv::local
