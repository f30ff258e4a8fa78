#include "blobs/signed_url.h"

#include <charconv>

#include "base/ids.h"

namespace viv::blobs {
namespace {

std::string_view MethodOf(UrlMethod what) {
  return what == UrlMethod::kPut ? "PUT" : "GET";
}

std::string Message(std::string_view method, std::string_view object, std::string_view expires) {
  // None of the parts can contain a line's end.
  return std::string(method) + '\n' + std::string(object) + '\n' + std::string(expires);
}

}  // namespace

std::string SignUrl(const Signer& signer,
                    const std::string& base_url,
                    const BlobName& name,
                    UrlMethod what,
                    std::int64_t now_ms) {
  const std::string expires = std::to_string(now_ms / 1000 + kUrlMinutes * 60);
  const std::string object = name.Text();
  const std::string method(MethodOf(what));
  return base_url + "/blobs/" + object + "?method=" + method + "&expires=" + expires +
         "&signature=" + signer(Message(method, object, expires));
}

UrlCheck CheckUrl(const Signer& signer, const http::Request& request, std::int64_t now_ms) {
  std::string_view method = request.method;
  if (method == "HEAD") method = "GET";
  const std::string expires = request.Query("expires").value_or("");
  const std::string expected = signer(Message(method, request.Parameter("object"), expires));
  // The signature first: before it is right, nothing else in the URL means anything.
  if (!EqualsInConstantTime(request.Query("signature").value_or(""), expected))
    return UrlCheck::kInvalid;
  std::int64_t end_s = 0;
  const auto read = std::from_chars(expires.data(), expires.data() + expires.size(), end_s);
  if (read.ec != std::errc()) return UrlCheck::kInvalid;
  return now_ms / 1000 >= end_s ? UrlCheck::kExpired : UrlCheck::kValid;
}

}  // namespace viv::blobs
