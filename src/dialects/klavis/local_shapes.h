#pragma once
// Local sandboxes in the vendor's JSON, and what several operations have in common.

#include <string>
#include <string_view>

#include "base/json.h"
#include "blobs/blob_name.h"
#include "boxes/boxes.h"
#include "dialects/klavis/local_context.h"
#include "dialects/klavis/validate.h"
#include "http/message.h"

namespace viv::klavis {

std::string BaseUrlOf(const LocalContext& context, const http::Request& request);
std::string_view LocalStatusOf(const boxes::Box& box);
// The list "servers", each with the URL it is reached at. One that is not on offer here has the
// status "error" and the reason in its metadata, as the vendor's items have no other place for it.
json::array LocalServerItems(const LocalContext& context,
                             const boxes::Box& box,
                             const std::string& base_url);
json::object LocalSandboxInfo(const LocalContext& context,
                              const boxes::Box& box,
                              const std::string& base_url);

// The caller's sandbox that the path names.
Result<boxes::BoxPtr> FindLocal(const LocalContext& context, const http::Request& request);

// `region` says which of the vendor's stores to use; here all are one.
void CheckRegion(Validator& validator, const http::Request& request);

// {"upload_url", "expires_in_minutes"}.
http::Response UploadUrlResponse(LocalContext& context,
                                 const http::Request& request,
                                 const blobs::BlobName& name);
http::Response DownloadUrlResponse(const LocalContext& context,
                                   const http::Request& request,
                                   const blobs::BlobName& name);

}  // namespace viv::klavis
