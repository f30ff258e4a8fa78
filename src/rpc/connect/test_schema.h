#pragma once
// A schema with a field of every kind, for tests.

#include "rpc/connect/schema.h"

namespace viv::connect::testing {

inline constexpr Field kThingFields[] = {
    {1, "flag", FieldType::kBool},
    {2, "small", FieldType::kInt32},
    {3, "exitCode", FieldType::kSint32},
    {4, "count", FieldType::kUint32},
    {5, "size", FieldType::kInt64},
    {6, "text", FieldType::kString},
    {7, "data", FieldType::kBytes},
    {8, "color", FieldType::kEnum, FieldShape::kSingle, "Color"},
    {9, "inner", FieldType::kMessage, FieldShape::kSingle, "Thing"},
    {10, "time", FieldType::kTimestamp},
    {11, "list", FieldType::kString, FieldShape::kRepeated},
    {12, "things", FieldType::kMessage, FieldShape::kRepeated, "Thing"},
    {13, "names", FieldType::kString, FieldShape::kStringMap},
    {14, "numbers", FieldType::kUint32, FieldShape::kRepeated},
    {2000, "far", FieldType::kString}};
inline constexpr MessageType kMessages[] = {{"Thing", kThingFields}, {"Nothing", {}}};
inline constexpr std::string_view kColors[] = {"COLOR_NONE", "COLOR_RED", "", "COLOR_BLUE"};
inline constexpr EnumType kEnums[] = {{"Color", kColors}};
inline constexpr Method kMethods[] = {{"test.Things", "Echo", "Thing", "Thing"},
                                      {"test.Things", "Count", "Thing", "Thing"},
                                      {"test.Things", "Sum", "Thing", "Thing"}};
inline constexpr Schema kSchema{kMessages, kEnums, kMethods};

}  // namespace viv::connect::testing
