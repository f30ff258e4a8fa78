#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/file_download.h"
#include "agent/dataplane/file_upload.h"
#include "agent/dataplane/search.h"

namespace viv::agent {

void AddFileTransfers(Context& context, http::Router& router) {
  router.Add("POST", "/dataplane/upload",
             [&context](http::Request& request) { return UploadToDataPlane(context, request); });
  router.Add(
      "GET", "/dataplane/download",  // and HEAD
      [&context](http::Request& request) { return DownloadFromDataPlane(context, request); });
  router.Add("POST", "/dataplane/glob",
             [&context](http::Request& request) { return GlobFiles(context, request); });
  router.Add("POST", "/dataplane/grep",
             [&context](http::Request& request) { return GrepFiles(context, request); });
}

bool IsStreamedByDataPlane(const http::Request& request) {
  return request.method == "POST" && request.path == "/dataplane/upload";
}

}  // namespace viv::agent
