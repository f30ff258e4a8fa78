#pragma once
// The functions a guest may call, and what each is in SQLite. A name that is neither here nor in
// special_call.cc does not exist: this list is the reason no function of SQLite's own can be
// reached by its name.

#include <string_view>

#include "engine/guest_sql/types.h"

namespace viv::engine::guest_sql {

enum class Returns {
  kFixed,       // `kind` and `scale`
  kFirst,       // the type of the first argument
  kCommon,      // of all arguments
  kCommonTail,  // of all but the first
  kSum,         // as the first, text becomes a number
  kAverage      // six digits more than the first
};

enum class Role { kScalar, kAggregate, kWindow };
enum class Take { kAsIs, kAsText };  // what becomes of the arguments

struct CallRule {
  std::string_view name;
  int arguments_min;
  int arguments_max;
  // A function's name, or a template in which $1, $2 … are the arguments.
  std::string_view sql;
  Returns returns = Returns::kFixed;
  Kind kind = Kind::kUnknown;
  int scale = kScaleUnknown;
  Role role = Role::kScalar;
  Take take = Take::kAsIs;
  // For window functions whose frame the product takes to be the whole partition.
  std::string_view frame = {};
};

const CallRule* FindCallRule(std::string_view name);

}  // namespace viv::engine::guest_sql
