#include "rpc/connect/rpc_error.h"

namespace viv::connect {
namespace {

struct CodeInfo {
  std::string_view name;
  int http_status;
};

CodeInfo InfoOf(Code code) {
  switch (code) {
    case Code::kCanceled:
      return {"canceled", 499};
    case Code::kUnknown:
      return {"unknown", 500};
    case Code::kInvalidArgument:
      return {"invalid_argument", 400};
    case Code::kDeadlineExceeded:
      return {"deadline_exceeded", 504};
    case Code::kNotFound:
      return {"not_found", 404};
    case Code::kAlreadyExists:
      return {"already_exists", 409};
    case Code::kPermissionDenied:
      return {"permission_denied", 403};
    case Code::kResourceExhausted:
      return {"resource_exhausted", 429};
    case Code::kFailedPrecondition:
      return {"failed_precondition", 400};
    case Code::kUnimplemented:
      return {"unimplemented", 501};
    case Code::kInternal:
      return {"internal", 500};
    case Code::kUnavailable:
      return {"unavailable", 503};
    case Code::kUnauthenticated:
      return {"unauthenticated", 401};
  }
  return {"unknown", 500};
}

}  // namespace

std::string_view CodeName(Code code) {
  return InfoOf(code).name;
}

int HttpStatus(Code code) {
  return InfoOf(code).http_status;
}

json::object RpcErrorJson(const RpcError& failure) {
  return {{"code", CodeName(failure.code)}, {"message", failure.message}};
}

}  // namespace viv::connect
