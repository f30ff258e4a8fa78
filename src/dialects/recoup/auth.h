#pragma once
// Who calls, and for whom. A key comes in exactly one of two headers; a call may name another
// account of the same organization and then acts on what that one has.

#include <optional>
#include <string>

#include "base/result.h"
#include "dialects/recoup/context.h"
#include "http/message.h"
#include "http/middleware/auth.h"

namespace viv::recoup {

http::Middleware Authenticated(http::KeyLookup keys);

// The account that a request is about: the caller's own, or the one it names by UUID. The error is
// kInvalidArgument for what is no UUID and kPermissionDenied for an account of others, or of
// nobody.
Result<std::string> AccountOf(const Context& context,
                              const http::Request& request,
                              const std::optional<std::string>& account_uuid);
// The same from the query.
Result<std::string> AccountOfQuery(const Context& context, const http::Request& request);
// How such an error is answered.
http::Response AccountFailure(const Error& error);

}  // namespace viv::recoup
