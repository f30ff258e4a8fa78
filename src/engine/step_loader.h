#pragma once
// Turns the `steps:` of YAML into Step values and numbers every statement on the way.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/app.h"
#include "engine/yaml.h"

namespace viv::engine {

class StepLoader {
 public:
  explicit StepLoader(const App& app) : app_(app) {}

  void LoadProcedures(const Yaml& procedures);  // step lists that `use:` names
  Steps LoadSteps(const Yaml& list);
  Sql LoadSql(const Yaml& text);
  Sql MakeSql(std::string text, std::string location);

  std::size_t statement_count() const { return statement_count_; }

 private:
  void LoadStep(const Yaml& item, Steps& steps);
  void UseProcedure(const Yaml& name, Steps& steps);
  Step LoadQuery(const Yaml& item);
  Step LoadGuestSql(const Yaml& item);

  const App& app_;
  std::map<std::string, Yaml> procedures_;
  std::vector<std::string> in_use_;  // procedures being expanded, to refuse cycles
  std::size_t statement_count_ = 0;
};

}  // namespace viv::engine
