#pragma once
// Makes the seed images of an app: schema, base data and one profile's seed, loaded through the
// same mapping that initialize uses. An image is kept under a name that says what it was made from,
// so that it is made once and found again after a restart.

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/app.h"
#include "engine/image.h"

namespace viv::engine {

// In place of a seed file: the schema alone, without the base data.
inline constexpr std::string_view kBareSeed = "-";

// The app's base data, as its file has it; an empty object without one.
Result<json::value> ReadBaseDocument(const App& app);

// `seed` is a file of the app's folder; empty for an image with nothing but the base data.
Result<ImagePtr> BuildImage(const App& app,
                            const std::string& seed,
                            ClockMode clock,
                            const std::string& directory);

}  // namespace viv::engine
