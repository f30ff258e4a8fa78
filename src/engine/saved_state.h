#pragma once
// The whole state of a world as JSON: every row of every table, the clock and the serial number
// behind its ids. An app's document says what people want to read and write and leaves out the
// rest; a saved state leaves out nothing, so that a world that loads it goes on exactly as the one
// that was saved would have.
//
// A full dump is the document with the state beside it, as the member kSavedStateMember:
//   {"format": 1, "app": "slack", "clock_ms": 1748854800000, "clock_mode": "tick", "serial": 12,
//    "tables": {"member": {"columns": ["channel_id", "user_id"], "rows": [["C1", "U1"]]}}}
// A table whose rows have a number of their own lists it as the column "rowid". What JSON cannot
// hold is an object: {"real": "0.1"}, {"integer": "9007199254740993"}, {"blob": Base64} and, for
// text that is not UTF-8, {"text": Base64}. Tables that an agent has made also have "types" and
// "key".

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "engine/session.h"

namespace viv::engine {

inline constexpr std::string_view kSavedStateMember = "_world";

// The state within the document, or nullptr when it has none.
const json::value* FindSavedState(const json::value& document);

// The caller owns the transaction.
Result<json::value> SaveState(Session& session);

// Makes the session's world equal to `state`, in a transaction of its own; only rows that differ
// are written. Fails with kInvalidArgument, and changes nothing, when the state does not fit the
// app's tables. Triggers do not run: what they did is part of the state.
Status LoadState(Session& session, const json::value& state);

}  // namespace viv::engine
