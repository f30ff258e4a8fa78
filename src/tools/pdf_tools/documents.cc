#include "tools/pdf_tools/documents.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/ids.h"
#include "base/json.h"
#include "tools/kit/fetch.h"
#include "tools/pdf_tools/poppler.h"

namespace viv::tools::pdf {
namespace {

constexpr std::string_view kFolder = ".pdf_tools_tempfiles";
constexpr std::string_view kIndex = "url_tempfile_mapping.json";
constexpr std::size_t kIndexBytesMax = 1 << 20;
constexpr std::size_t kIndexEntriesMax = 1000;

json::object ReadIndex(const Workspace& folder) {
  auto file = folder.Open(folder.real_root() + "/" + std::string(kIndex), O_RDONLY | O_NONBLOCK);
  if (!file) return {};
  auto text = ReadAll(file->get(), kIndexBytesMax);
  auto parsed = text ? ParseJson(*text) : Result<json::value>(Fail(ErrorCode::kNotFound, ""));
  return parsed && parsed->is_object() ? parsed->get_object() : json::object();
}

Result<Workspace> OpenFolder(const Workspace& workspace) {
  ASSIGN_OR_RETURN(UniqueFd root, workspace.Open(workspace.real_root(), O_RDONLY | O_DIRECTORY));
  ::mkdirat(root.get(), std::string(kFolder).c_str(), 0777);  // it may be there already
  ASSIGN_OR_RETURN(std::string real, workspace.Real(kFolder));
  return Workspace(real);
}

std::string StatusText(int status, const std::string& url) {
  return std::to_string(status) + (status >= 500 ? " Server Error" : " Client Error") +
         " for url: " + url;
}

}  // namespace

std::string PythonMissing(const std::string& name) {
  return "[Errno 2] No such file or directory: '" + name + "'";
}

std::string Documents::Outside(const std::string& name) const {
  return "Error: Path '" + name + "' is outside the allowed workspace '" + workspace_.root() + "'";
}

Result<std::string> Documents::Download(const std::string& url,
                                        const std::atomic<bool>& cancelled) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Workspace folder, OpenFolder(workspace_), "Error processing PDF download");
  json::object index = ReadIndex(folder);
  if (const json::value* known = index.if_contains(url); known != nullptr && known->is_string())
    if (auto real = folder.Real(View(known->get_string()))) return real;
  FetchRequest request;
  request.url = url;
  request.cancelled = &cancelled;
  request.bytes_max = 100 << 20;
  ASSIGN_OR_RETURN(Fetched fetched, Fetch(request), "Failed to download PDF from URL");
  if (fetched.status >= 400)
    return Fail(ErrorCode::kUnavailable,
                "Failed to download PDF from URL: " + StatusText(fetched.status, url));
  if (!fetched.body.starts_with("%PDF-"))
    return Fail(ErrorCode::kInvalidArgument,
                "Error processing PDF download: Downloaded file is not a valid PDF format");
  const std::string file = folder.real_root() + "/" + RandomUuid() + ".pdf";
  RETURN_IF_ERROR(ReplaceFile(folder, file, fetched.body), "Error processing PDF download");
  if (!ReadPdfInfo(file, cancelled)) {
    ::unlink(file.c_str());
    return Fail(ErrorCode::kInvalidArgument,
                "Error processing PDF download: PDF file appears to be corrupted or unreadable");
  }
  if (index.size() >= kIndexEntriesMax) index.clear();
  index[url] = file;
  RETURN_IF_ERROR(
      ReplaceFile(folder, folder.real_root() + "/" + std::string(kIndex), PrettyJson(index)),
      "Error processing PDF download");
  return file;
}

Result<std::string> Documents::Locate(const std::string& name,
                                      std::string_view cannot,
                                      const std::atomic<bool>& cancelled) {
  if (IsWebUrl(name))
    return Download(name, cancelled).map_error([&](Error error) {
      return Error{error.code, std::string(cannot) + ": " + error.message};
    });
  auto real = workspace_.Real(name);
  if (real) return real;
  if (real.error().code == ErrorCode::kPermissionDenied)
    return Fail(ErrorCode::kPermissionDenied, Outside(name));
  if (real.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kNotFound, "Error: File not found '" + name + "'");
  return Fail(real.error().code, "Error validating path: " + real.error().message);
}

Result<std::string> Documents::LocateNew(const std::string& name) const {
  if (IsWebUrl(name))
    return Fail(ErrorCode::kPermissionDenied,
                "Error: Output path cannot be a URL, must be a local file path");
  auto real = workspace_.RealForNew(name);
  if (real) return real;
  if (real.error().code == ErrorCode::kPermissionDenied)
    return Fail(ErrorCode::kPermissionDenied, Outside(name));
  if (real.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kNotFound, PythonMissing(name));
  return Fail(ErrorCode::kPermissionDenied, "Error validating path: " + real.error().message);
}

}  // namespace viv::tools::pdf
