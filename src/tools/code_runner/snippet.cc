#include "tools/code_runner/snippet.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>

#include "base/errno_error.h"
#include "base/unique_fd.h"
#include "tools/kit/workspace.h"

namespace viv::tools::code_runner {

Result<Snippet> Snippet::Write(std::string_view code, std::string_view extension) {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  std::string folder = (error ? std::string("/tmp") : temporary.string()) + "/code-runner-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr)
    return FailErrno(ErrorCode::kUnavailable, "make a folder for the code");
  Snippet snippet(folder, folder + "/tmp." + std::string(extension));
  const UniqueFd file(::open(snippet.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return FailErrno(ErrorCode::kUnavailable, snippet.path_);
  RETURN_IF_ERROR(WriteAll(file.get(), code), "write the code");
  return snippet;
}

Snippet::~Snippet() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

}  // namespace viv::tools::code_runner
