#include "boxes/image_fetch.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/base64.h"
#include "base/errno_error.h"
#include "base/json.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "network/namespaces.h"
#include "templates/program.h"

namespace viv::boxes {
namespace {

// Where the program sees its folder, in its own mount namespace: the user nobody cannot enter ours.
constexpr char kFetchFolder[] = "/mnt";
constexpr unsigned kFetchUser = 65534;
constexpr std::size_t kFetchErrorBytesMax = 600;

Status FetchStep(bool worked, const std::string& doing) {
  if (worked) return {};
  return FailErrno(ErrorCode::kInternal, doing);
}

Status WriteFetchFile(const std::string& path, const std::string& text) {
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  RETURN_IF_ERROR(FetchStep(static_cast<bool>(file), "make " + path));
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  RETURN_IF_ERROR(FetchStep(written == static_cast<ssize_t>(text.size()), "write " + path));
  return FetchStep(::fchown(file.get(), kFetchUser, kFetchUser) == 0,
                   "change the owner of " + path);
}

// Docker's format of credentials. The file exists even without any, because otherwise the
// operator's own would be used.
std::string AuthFile(const FetchImage& request) {
  json::object registries;
  if (request.login) {
    json::object entry;
    entry["auth"] = EncodeBase64(request.login->user + ":" + request.login->password);
    registries[request.reference.registry] = std::move(entry);
  }
  json::object file;
  file["auths"] = std::move(registries);
  return WriteJson(file);
}

Status PrepareFetch(const FetchImage& request) {
  RETURN_IF_ERROR(WriteFetchFile(request.folder + "/auth.json", AuthFile(request)));
  RETURN_IF_ERROR(WriteFetchFile(request.folder + "/resolv.conf",
                                 "nameserver " + std::string(network::kNameserver) + "\n"));
  RETURN_IF_ERROR(FetchStep(::chown(request.folder.c_str(), kFetchUser, kFetchUser) == 0,
                            "change the owner of " + request.folder));
  return FetchStep(::chmod(request.folder.c_str(), 0700) == 0,
                   "change the mode of " + request.folder);
}

// Changes only the calling thread and its children. The thread keeps its privileges: any process of
// the user nobody could kill a thread of that user, and the server with it.
Status EnterFetch(const FetchImage& request) {
  RETURN_IF_ERROR(FetchStep(::unshare(CLONE_NEWNS) == 0, "separate its mounts"));
  RETURN_IF_ERROR(FetchStep(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0,
                            "separate its mounts"));
  const std::string names = request.folder + "/resolv.conf";
  RETURN_IF_ERROR(
      FetchStep(::mount(names.c_str(), "/etc/resolv.conf", nullptr, MS_BIND, nullptr) == 0,
                "mount /etc/resolv.conf"));
  RETURN_IF_ERROR(
      FetchStep(::mount(request.folder.c_str(), kFetchFolder, nullptr, MS_BIND, nullptr) == 0,
                std::string("mount ") + kFetchFolder));
  return FetchStep(::setns(request.network, CLONE_NEWNET) == 0, "enter its network namespace");
}

std::vector<std::string> FetchCommand(const FetchImage& request) {
  const std::string folder = kFetchFolder;
  const std::string nobody = std::to_string(kFetchUser);
  // It ends with this server, also when that is killed.
  std::vector<std::string> command = {"setpriv",
                                      "--reuid=" + nobody,
                                      "--regid=" + nobody,
                                      "--clear-groups",
                                      "--no-new-privs",
                                      "--inh-caps=-all",
                                      "--bounding-set=-all",
                                      "--pdeathsig=KILL",
                                      "skopeo",
                                      "--insecure-policy",
                                      "--override-os=linux",
                                      "copy",
                                      "--quiet",
                                      "--authfile=" + folder + "/auth.json",
                                      "--digestfile=" + folder + "/digest"};
  if (request.transport == RegistryTransport::kPlain)
    command.emplace_back("--src-tls-verify=false");
  command.push_back("docker://" + request.reference.Text());
  command.push_back("oci:" + folder + "/image");
  return command;
}

std::int64_t BytesIn(const std::string& folder) {
  std::int64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    struct stat status = {};
    if (::lstat(it->path().c_str(), &status) == 0) bytes += status.st_blocks * 512;
  }
  return bytes;
}

// skopeo's log lines end in msg="…", of which only the text says something to the caller.
std::string SkopeoErrorText(const std::string& words) {
  std::string text = words;
  constexpr std::string_view kMark = "msg=\"";
  if (std::size_t at = text.rfind(kMark); at != std::string::npos) {
    text = text.substr(at + kMark.size());
    if (!text.empty() && text.back() == '"') text.pop_back();
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] != '\\' || i + 1 == text.size()) plain += text[i];
    text = std::move(plain);
  }
  return Printable(text, kFetchErrorBytesMax);
}

bool HasSkopeo() {
  for (const char* path : {"/usr/bin/skopeo", "/usr/local/bin/skopeo", "/bin/skopeo"})
    if (::access(path, X_OK) == 0) return true;
  return false;
}

Status RunFetch(const FetchImage& request, const std::atomic<bool>& stop) {
  RETURN_IF_ERROR(EnterFetch(request), "prepare namespaces for skopeo");
  auto check = [&]() -> Status {
    if (stop) return Fail(ErrorCode::kUnavailable, "the server is ending");
    if (BytesIn(kFetchFolder) <= request.bytes_max) return {};
    return Fail(ErrorCode::kLimitExceeded,
                "the image is larger than " + std::to_string(request.bytes_max) + " bytes");
  };
  Status ran = templates::RunProgram(FetchCommand(request), nullptr, request.timeout, check);
  if (ran) return check();
  if (ran.error().code != ErrorCode::kInternal) return ran;
  return Fail(ErrorCode::kInternal, SkopeoErrorText(ran.error().message));
}

}  // namespace

Result<std::string> Fetch(const FetchImage& request, const std::atomic<bool>& stop) {
  if (!HasSkopeo())
    return Fail(ErrorCode::kUnavailable,
                "images are fetched by skopeo, which this machine lacks: install skopeo "
                "(apt-get install skopeo)");
  RETURN_IF_ERROR(PrepareFetch(request));
  Status ran;
  // On a thread that exits afterwards, because its namespaces cannot be restored.
  std::thread([&] { ran = RunFetch(request, stop); }).join();
  RETURN_IF_ERROR(std::move(ran), "fetch " + request.reference.Text());
  std::ifstream file(request.folder + "/digest");
  std::string digest;
  std::getline(file, digest);
  return Printable(Trim(digest), 128);
}

}  // namespace viv::boxes
