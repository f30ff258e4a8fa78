#pragma once
// Numbers of guest values: how the product rounds, reads and prints them.

#include <optional>
#include <string>
#include <string_view>

#include "engine/guest_sql/function.h"

namespace viv::engine::guest_sql {

double RoundTo(double value, int digits);                 // half away from zero
std::optional<Value> ParseNumber(std::string_view text);  // an integer where it is one
Value WithScale(const Value& number, int scale);          // rounded; an integer when scale is 0
std::string NumberText(const Value& value);  // "12", "0.5": no exponent for what has few digits
std::string FixedText(double value, int digits);  // "5.00"

}  // namespace viv::engine::guest_sql
