#pragma once
// Reads an app's folder and checks it whole: every statement is prepared against the schema, every
// reference resolved. What is wrong is named with file and line, in the author's words.

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/app.h"

namespace viv::engine {

using AppPtr = std::shared_ptr<const App>;  // shared by the catalogue and by worlds made from it

Result<AppPtr> LoadApp(const std::string& folder);

}  // namespace viv::engine
