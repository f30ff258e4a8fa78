#pragma once
// Why a call failed, in Connect's terms: a code that programs read and a message for people.

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "base/json.h"

namespace viv::connect {

enum class Code {
  kCanceled,
  kUnknown,
  kInvalidArgument,
  kDeadlineExceeded,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kResourceExhausted,
  kFailedPrecondition,
  kUnimplemented,
  kInternal,
  kUnavailable,
  kUnauthenticated
};

struct RpcError {
  Code code;
  std::string message;
};
template <typename T>
using RpcResult = tl::expected<T, RpcError>;

inline tl::unexpected<RpcError> FailRpc(Code code, std::string message) {
  return tl::unexpected<RpcError>(RpcError{code, std::move(message)});
}

std::string_view CodeName(Code code);                // "not_found"
int HttpStatus(Code code);                           // of an unary response
json::object RpcErrorJson(const RpcError& failure);  // {"code","message"}

}  // namespace viv::connect
