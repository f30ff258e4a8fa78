#pragma once
// Checks an app before it is offered: every statement is prepared on an empty database of the app's
// schema, every variable a tool's statement names must be an argument of the tool or a column of an
// earlier step. Finds out which tools can change a world.

#include "base/result.h"
#include "engine/app.h"

namespace viv::engine {

Status CheckApp(App& app);

}  // namespace viv::engine
