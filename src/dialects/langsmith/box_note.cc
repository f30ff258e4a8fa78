#include "dialects/langsmith/box_note.h"

#include <utility>

#include "base/log.h"
#include "dialects/langsmith/provider_variables.h"
#include "dialects/langsmith/proxy_plan.h"

namespace viv::langsmith {
namespace {

json::value NoteMember(const json::value& body, std::string_view name) {
  const json::value* found = Find(body, name);
  return found == nullptr ? json::value() : *found;
}

RunConfig StoredRunConfig(const json::value& body, std::string_view name) {
  auto config = ReadRunConfig(NoteMember(body, name));
  return config ? *std::move(config) : RunConfig();
}

Variables StoredVariables(const json::value& body, std::string_view name) {
  Variables variables;
  const json::value* found = Find(body, name);
  if (found == nullptr || !found->is_object()) return variables;
  for (const auto& member : found->get_object()) {
    if (member.value().is_string()) variables[member.key()] = View(member.value().get_string());
  }
  return variables;
}

// A box of another dialect, or one whose note cannot be read.
BoxNote ForeignNote(const boxes::Box& box) {
  BoxNote note;
  note.created_by = note.updated_by = box.account_id;
  note.foreign = true;
  note.below.user = box.spec.user;
  if (!box.spec.workdir.empty()) note.below.work_dir = box.spec.workdir;
  note.below.env_vars = box.spec.variables;
  return note;
}

void AddUnlessNull(json::object& body, std::string_view name, const json::value& value) {
  if (!value.is_null()) body[name] = value;
}

void OverlayVariables(Variables& variables, const Variables& above) {
  for (const auto& [name, value] : above) variables[name] = value;
}

}  // namespace

BoxNote NoteOf(const boxes::Box& box) {
  auto text = box.spec.notes.find(std::string(kNoteName));
  if (text == box.spec.notes.end()) return ForeignNote(box);
  auto body = ParseJson(text->second);
  if (!body) {
    log::Error("langsmith.note_unreadable", {{"box", box.id}, {"error", body.error().message}});
    return ForeignNote(box);
  }
  BoxNote note;
  note.created_by = FindString(*body, "created_by");
  note.updated_by = FindString(*body, "updated_by");
  note.foreign = NoteMember(*body, "foreign") == json::value(true);
  note.below = StoredRunConfig(*body, "below");
  note.env_vars = StoredVariables(*body, "env_vars");
  note.run_config = StoredRunConfig(*body, "run_config");
  note.proxy_config = NoteMember(*body, "proxy_config");
  note.mount_config = NoteMember(*body, "mount_config");
  note.access_delegation = NoteMember(*body, "access_delegation");
  if (const json::value* tags = Find(*body, "tag_value_ids"); tags != nullptr && tags->is_array()) {
    for (const json::value& tag : tags->get_array())
      if (tag.is_string()) note.tag_value_ids.emplace_back(View(tag.get_string()));
  }
  return note;
}

std::string WriteNote(const BoxNote& note) {
  json::object body{{"created_by", note.created_by}, {"updated_by", note.updated_by}};
  if (note.foreign) body["foreign"] = true;
  if (!note.below.empty()) body["below"] = ShowRunConfig(note.below);
  if (!note.env_vars.empty()) {
    json::object variables;
    for (const auto& [name, value] : note.env_vars) variables[name] = value;
    body["env_vars"] = std::move(variables);
  }
  if (!note.run_config.empty()) body["run_config"] = ShowRunConfig(note.run_config);
  AddUnlessNull(body, "proxy_config", note.proxy_config);
  AddUnlessNull(body, "mount_config", note.mount_config);
  AddUnlessNull(body, "access_delegation", note.access_delegation);
  if (!note.tag_value_ids.empty())
    body["tag_value_ids"] = json::array(note.tag_value_ids.begin(), note.tag_value_ids.end());
  return WriteJson(body);
}

Environment EnvironmentOf(const BoxNote& note) {
  const RunConfig whole = LayRunConfig(note.below, note.run_config);
  Environment environment;
  environment.user = whole.user.value_or("root");
  environment.workdir = whole.work_dir.value_or(environment.user == "root" ? "/root" : "");
  environment.variables = note.below.env_vars;
  OverlayVariables(environment.variables, VariablesOf(note.proxy_config));
  OverlayVariables(environment.variables, note.run_config.env_vars);
  OverlayVariables(environment.variables, note.env_vars);
  OverlayVariables(environment.variables, ProviderVariables(note.proxy_config));
  return environment;
}

Variables VariablesToCapture(const BoxNote& note) {
  Variables variables;
  if (!note.foreign) variables = note.below.env_vars;
  OverlayVariables(variables, note.run_config.env_vars);
  return variables;
}

}  // namespace viv::langsmith
