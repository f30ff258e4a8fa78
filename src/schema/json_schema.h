#pragma once
// Checks a tool's arguments against its JSON Schema and says what is wrong in one readable
// sentence, in the words that Python's jsonschema uses and agents have seen. The keywords are those
// that tool schemas use; an unknown one is ignored, as the standard asks. Schemas are trusted (they
// come with the app), values are not.

#include <optional>
#include <string>

#include "base/json.h"

namespace viv::schema {

// Nothing when `value` fits; otherwise e.g. "5 is not of type 'string' (at user_ids[0])".
std::optional<std::string> FindSchemaViolation(const json::value& schema, const json::value& value);

// The arguments with the defaults of top-level properties filled in.
json::object WithDefaults(const json::object& schema, json::object arguments);

}  // namespace viv::schema
