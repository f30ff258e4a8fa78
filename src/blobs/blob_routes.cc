#include "blobs/blob_routes.h"

#include "blobs/blob_errors.h"

namespace viv::blobs {

Result<std::string> Blobs::UploadUrl(const std::string& base_url, const BlobName& name) {
  RETURN_IF_ERROR(store_.AddOwner(name.owner));
  return SignUrl(signer_, base_url, name, UrlMethod::kPut, clock_());
}

std::string Blobs::DownloadUrl(const std::string& base_url, const BlobName& name) const {
  return SignUrl(signer_, base_url, name, UrlMethod::kGet, clock_());
}

Result<BlobName> Blobs::CheckSignedUrl(const http::Request& request) const {
  switch (CheckUrl(signer_, request, clock_())) {
    case UrlCheck::kValid:
      break;
    case UrlCheck::kExpired:
      return Fail(ErrorCode::kPermissionDenied, "this URL has expired: ask for a new one");
    case UrlCheck::kInvalid:
      return Fail(ErrorCode::kPermissionDenied,
                  "the signature does not fit to this URL and method: use it as it was given");
  }
  std::optional<BlobName> name = ParseBlobName(request.Parameter("object"));
  if (!name) return Fail(ErrorCode::kNotFound, "no such object");
  return *std::move(name);
}

void Blobs::AddTo(http::Router& router) {
  router.Add("PUT", "/blobs/{object}", [this](http::Request& request) { return Put(request); });
  router.Add("GET", "/blobs/{object}", [this](http::Request& request) { return Get(request); });
}

bool IsStreamedToBlobs(const http::Request& request) {
  return request.method == "PUT" && request.path.starts_with("/blobs/");
}

}  // namespace viv::blobs
