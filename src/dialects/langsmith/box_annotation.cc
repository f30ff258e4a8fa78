#include "dialects/langsmith/box_annotation.h"

#include <utility>

#include "base/log.h"
#include "dialects/langsmith/provider_variables.h"
#include "dialects/langsmith/proxy_plan.h"

namespace viv::langsmith {
namespace {

json::value AnnotationMember(const json::value& body, std::string_view name) {
  const json::value* found = Find(body, name);
  return found == nullptr ? json::value() : *found;
}

RunConfig StoredRunConfig(const json::value& body, std::string_view name) {
  auto config = ReadRunConfig(AnnotationMember(body, name));
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

// For a box of another dialect, or one whose annotation cannot be read.
BoxAnnotation ForeignAnnotation(const boxes::Box& box) {
  BoxAnnotation annotation;
  annotation.created_by = annotation.updated_by = box.account_id;
  annotation.foreign = true;
  annotation.base_config.user = box.spec.user;
  if (!box.spec.workdir.empty()) annotation.base_config.work_dir = box.spec.workdir;
  annotation.base_config.env_vars = box.spec.variables;
  return annotation;
}

void AddUnlessNull(json::object& body, std::string_view name, const json::value& value) {
  if (!value.is_null()) body[name] = value;
}

void OverlayVariables(Variables& variables, const Variables& above) {
  for (const auto& [name, value] : above) variables[name] = value;
}

}  // namespace

BoxAnnotation AnnotationOf(const boxes::Box& box) {
  auto text = box.spec.annotations.find(std::string(kAnnotationName));
  if (text == box.spec.annotations.end()) return ForeignAnnotation(box);
  auto body = ParseJson(text->second);
  if (!body) {
    log::Error("langsmith.note_unreadable", {{"box", box.id}, {"error", body.error().message}});
    return ForeignAnnotation(box);
  }
  BoxAnnotation annotation;
  annotation.created_by = FindString(*body, "created_by");
  annotation.updated_by = FindString(*body, "updated_by");
  annotation.foreign = AnnotationMember(*body, "foreign") == json::value(true);
  annotation.base_config = StoredRunConfig(*body, "below");
  annotation.env_vars = StoredVariables(*body, "env_vars");
  annotation.run_config = StoredRunConfig(*body, "run_config");
  annotation.proxy_config = AnnotationMember(*body, "proxy_config");
  annotation.mount_config = AnnotationMember(*body, "mount_config");
  annotation.access_delegation = AnnotationMember(*body, "access_delegation");
  if (const json::value* tags = Find(*body, "tag_value_ids"); tags != nullptr && tags->is_array()) {
    for (const json::value& tag : tags->get_array())
      if (tag.is_string()) annotation.tag_value_ids.emplace_back(View(tag.get_string()));
  }
  return annotation;
}

std::string WriteAnnotation(const BoxAnnotation& annotation) {
  json::object body{{"created_by", annotation.created_by}, {"updated_by", annotation.updated_by}};
  if (annotation.foreign) body["foreign"] = true;
  if (!annotation.base_config.empty()) body["below"] = ShowRunConfig(annotation.base_config);
  if (!annotation.env_vars.empty()) {
    json::object variables;
    for (const auto& [name, value] : annotation.env_vars) variables[name] = value;
    body["env_vars"] = std::move(variables);
  }
  if (!annotation.run_config.empty()) body["run_config"] = ShowRunConfig(annotation.run_config);
  AddUnlessNull(body, "proxy_config", annotation.proxy_config);
  AddUnlessNull(body, "mount_config", annotation.mount_config);
  AddUnlessNull(body, "access_delegation", annotation.access_delegation);
  if (!annotation.tag_value_ids.empty())
    body["tag_value_ids"] =
        json::array(annotation.tag_value_ids.begin(), annotation.tag_value_ids.end());
  return WriteJson(body);
}

Environment EnvironmentOf(const BoxAnnotation& annotation) {
  const RunConfig whole = OverlayRunConfig(annotation.base_config, annotation.run_config);
  Environment environment;
  environment.user = whole.user.value_or("root");
  environment.workdir = whole.work_dir.value_or(environment.user == "root" ? "/root" : "");
  environment.variables = annotation.base_config.env_vars;
  OverlayVariables(environment.variables, VariablesOf(annotation.proxy_config));
  OverlayVariables(environment.variables, annotation.run_config.env_vars);
  OverlayVariables(environment.variables, annotation.env_vars);
  OverlayVariables(environment.variables, ProviderVariables(annotation.proxy_config));
  return environment;
}

Variables VariablesToCapture(const BoxAnnotation& annotation) {
  Variables variables;
  if (!annotation.foreign) variables = annotation.base_config.env_vars;
  OverlayVariables(variables, annotation.run_config.env_vars);
  return variables;
}

}  // namespace viv::langsmith
