#pragma once
// What LangSmith stores with a box beyond the domain's own fields: the layers its variables come
// from, and the stored forms of its configurations. It is one text in the box's annotations. Labels
// are not here: they are the box's metadata, which every dialect sees.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "boxes/boxes.h"
#include "dialects/langsmith/run_config.h"

namespace viv::langsmith {

inline constexpr std::string_view kAnnotationName = "langsmith";  // in BoxSpec::annotations

struct BoxAnnotation {
  std::string created_by;  // accounts
  std::string updated_by;
  bool foreign = false;      // another dialect created the box: base_config is the box's own
  RunConfig base_config;     // the layer below the box's own: its snapshot's
  Variables env_vars;        // of the create request
  RunConfig run_config;      // the box's own
  json::value proxy_config;  // stored forms; null when there is none
  json::value mount_config;
  json::value access_delegation;
  std::vector<std::string> tag_value_ids;
};

// For a box that another dialect created, its settings are the base_config.
BoxAnnotation AnnotationOf(const boxes::Box& box);
std::string WriteAnnotation(const BoxAnnotation& annotation);

// The result of all layers.
struct Environment {
  std::string user;
  std::string workdir;  // empty: the user's home
  Variables variables;
};
// Variables of the snapshot, then placeholders of rules, then the box's run_config, then its
// env_vars, then those that rules of providers manage.
Environment EnvironmentOf(const BoxAnnotation& annotation);
// The variables for boxes from a snapshot of this box: those of its own snapshot, then those of its
// run_config. Values of env_vars and of rules may be secret and are not copied.
Variables VariablesToCapture(const BoxAnnotation& annotation);

}  // namespace viv::langsmith
