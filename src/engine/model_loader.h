#pragma once
// Reads `data:` of app.yaml, the mapping between the initialize/dump document and the tables, and
// generates its statements.

#include "engine/app.h"
#include "engine/step_loader.h"
#include "engine/yaml.h"

namespace viv::engine {

Model LoadModel(const Yaml& data, const Yaml& dump_form, StepLoader& steps);

}  // namespace viv::engine
