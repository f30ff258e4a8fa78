#pragma once
// The families of functions, each a constant table in the .cc file of its name.

#include <span>

#include "engine/functions/function.h"

namespace viv::engine::functions {

std::span<const Function> TimeFunctions();
std::span<const Function> RruleFunctions();
std::span<const Function> RegexpFunctions();
std::span<const Function> TextFunctions();
std::span<const Function> HtmlFunctions();
std::span<const Function> EmailFunctions();
std::span<const Function> DigestFunctions();
std::span<const Function> DiffFunctions();
std::span<const Function> CalculateFunctions();
std::span<const Function> JsonFunctions();
std::span<const Function> CsvFunctions();
std::span<const Function> SqliteTextFunctions();

}  // namespace viv::engine::functions
