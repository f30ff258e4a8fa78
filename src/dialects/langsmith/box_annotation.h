#pragma once
// What LangSmith keeps with a box that the domain has no word for: the layers its variables come
// from, and the stored forms of its configurations. It lies in the box's spec as one text. Labels
// are not here: they are the box's metadata, which every dialect sees.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "boxes/boxes.h"
#include "dialects/langsmith/run_config.h"

namespace viv::langsmith {

inline constexpr std::string_view kAnnotationName = "langsmith";  // in BoxSpec::notes

struct BoxAnnotation {
  std::string created_by;  // accounts
  std::string updated_by;
  bool foreign = false;      // another dialect made the box: what is below is the box's own
  RunConfig base_config;     // what the box's own layer stands on: its snapshot's
  Variables env_vars;        // of the create request
  RunConfig run_config;      // the box's own
  json::value proxy_config;  // stored forms; null when there is none
  json::value mount_config;
  json::value access_delegation;
  std::vector<std::string> tag_value_ids;
};

// Of a box that another dialect made: what it has stands below.
BoxAnnotation AnnotationOf(const boxes::Box& box);
std::string WriteAnnotation(const BoxAnnotation& annotation);

// What the layers come to.
struct Environment {
  std::string user;
  std::string workdir;  // empty: the user's home
  Variables variables;
};
// Variables of the snapshot, then placeholders of rules, then the box's run_config, then its
// env_vars, then those that rules of providers manage.
Environment EnvironmentOf(const BoxAnnotation& annotation);
// Those that go on to boxes from a snapshot of it: the snapshot's below it, then its run_config's.
// What it was given as env_vars or through rules may be secret and stays with it.
Variables VariablesToCapture(const BoxAnnotation& annotation);

}  // namespace viv::langsmith
