#pragma once
// Arguments checked as the zod library of TypeScript servers checks them: nothing is converted,
// unknown members are ignored whatever the schema says, and every mistake is reported at once.

#include <string>
#include <vector>

#include "base/json.h"

namespace viv::tools {

struct ZodIssue {
  enum class Kind { kType, kChoice, kTooSmall, kTooBig };
  Kind kind = Kind::kType;
  json::array path;      // names and positions
  std::string expected;  // a type; of kTooSmall and kTooBig: of what there is too little
  std::string received;  // a type; "undefined" when nothing was given
  json::array choices;   // of kChoice
  json::value value;     // what was given
  double limit = 0;      // of kTooSmall and kTooBig
};

// No more than a hundred of them.
std::vector<ZodIssue> FindZodIssues(const json::object& schema, const json::object& arguments);

// Lines of "Invalid input: expected string, received undefined at edits[0].oldText".
std::string RenderZodLines(const std::vector<ZodIssue>& issues);
// The indented JSON that an exception of zod 3 shows.
std::string RenderZodJson(const std::vector<ZodIssue>& issues);

}  // namespace viv::tools
