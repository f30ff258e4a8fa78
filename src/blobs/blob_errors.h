#pragma once
// What goes wrong with a blob: {"error": {"code", "message"}}.

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace viv::blobs {

http::Response BlobErrorResponse(int status, std::string_view code, std::string message);
http::Response BlobErrorResponse(const Error& error);

}  // namespace viv::blobs
