#include "gateway/rules/header_check.h"

#include <algorithm>

#include "base/text.h"
#include "http/response_writer.h"

namespace viv::gateway {

bool IsReservedHeader(std::string_view name) {
  constexpr std::string_view kProxy = "proxy-";
  if (EqualsIgnoreCase(name.substr(0, kProxy.size()), kProxy)) return true;
  for (std::string_view reserved :
       {"host", "content-length", "connection", "keep-alive", "transfer-encoding", "te", "trailer",
        "upgrade", "expect", "http2-settings"})
    if (EqualsIgnoreCase(name, reserved)) return true;
  return false;
}

bool IsHeaderName(std::string_view name) {
  return name.size() <= 256 && http::IsSafeHeader(name, "");
}

bool IsHeaderValue(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

}  // namespace viv::gateway
