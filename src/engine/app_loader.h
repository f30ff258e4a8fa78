#pragma once
// Reads an app's folder and checks it whole: every statement is prepared against the schema, every
// reference resolved. Errors name file and line.

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/app.h"

namespace viv::engine {

using AppPtr = std::shared_ptr<const App>;  // shared by the catalogue and by worlds made from it

Result<AppPtr> LoadApp(const std::string& folder);

}  // namespace viv::engine
