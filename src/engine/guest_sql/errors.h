#pragma once
// What Snowflake says when a statement fails, word for word and with its codes: agents read these
// texts and react to them. One function per kind of failure.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::guest_sql {

struct Token;

tl::unexpected<Error> CompilationError(std::string_view code,
                                       std::string_view text,
                                       ErrorCode kind = ErrorCode::kInvalidArgument);

tl::unexpected<Error> SyntaxErrorAt(int line, int position, std::string_view unexpected);
tl::unexpected<Error> InvalidIdentifier(const Token& at, std::string_view name);
tl::unexpected<Error> AmbiguousColumn(std::string_view name);
tl::unexpected<Error> UnknownFunction(std::string_view name);
tl::unexpected<Error> Unsupported(std::string_view feature);
tl::unexpected<Error> InsertMismatch(std::size_t expected, std::size_t got);
tl::unexpected<Error> TooComplex();

tl::unexpected<Error> ObjectMissing(std::string_view name);
tl::unexpected<Error> DatabaseMissing(std::string_view name);
tl::unexpected<Error> SchemaMissing(std::string_view name);
tl::unexpected<Error> UseMissing();  // USE and DESCRIBE name no object
tl::unexpected<Error> ObjectExists(std::string_view name);
tl::unexpected<Error> NoCurrentDatabase(std::string_view verb);
tl::unexpected<Error> NoCurrentSchema(std::string_view verb);

// The reference MCP server's words for a write through its reading tool.
tl::unexpected<Error> WriteRefused();

// A failure of SQLite itself, which speaks our emitted SQL: inner names are taken out, our
// functions' texts pass.
tl::unexpected<Error> EngineError(std::string_view message);

// The work that a statement may do, or its time, has come to an end.
tl::unexpected<Error> TimedOut();

}  // namespace viv::engine::guest_sql
