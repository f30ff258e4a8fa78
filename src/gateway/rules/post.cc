#include "gateway/rules/post.h"

#include <utility>

#include "base/text.h"
#include "http/response_writer.h"
#include "http/url.h"

namespace viv::gateway {
namespace {

Status CheckPostHeaders(const http::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!http::IsSafeHeader(name, value))
      return Fail(ErrorCode::kInvalidArgument,
                  "a header of the request is malformed, or its value has a line break");
    for (std::string_view own : {"host", "content-length", "transfer-encoding", "connection"})
      if (EqualsIgnoreCase(name, own))
        return Fail(ErrorCode::kInvalidArgument, "the header " + name + " cannot be set");
  }
  return {};
}

}  // namespace

Task<Result<PostResponse>> Post(http::ClientTls& tls,
                                std::string url,
                                http::Headers headers,
                                std::string body,
                                PostLimits limits) {
  CO_RETURN_IF_ERROR(CheckPostHeaders(headers));
  ASSIGN_OR_CO_RETURN(const http::Url where, http::ParseUrl(url));
  http::ClientRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers = std::move(headers);
  if (!request.headers.Has("User-Agent")) request.headers.Add("User-Agent", "vivarium");
  request.body = std::move(body);
  request.timeout = 2 * limits.time;  // the total time ends first
  request.body_bytes_max = limits.response_bytes_max;
  request.tls = &tls;
  request.check_address = std::move(limits.check_address);
  request.total_timeout = limits.time;
  ASSIGN_OR_CO_RETURN(http::ClientResponse response, co_await http::Fetch(std::move(request)),
                      where.host + ":" + where.port);
  PostResponse posted{response.status, std::move(response.body)};
  co_return posted;
}

}  // namespace viv::gateway
