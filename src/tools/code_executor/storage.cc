#include "tools/code_executor/storage.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

#include "base/ids.h"

namespace viv::tools::code_executor {
namespace {

constexpr std::size_t kFileMax = 10 << 20;

tl::unexpected<Error> NodeError(const Error& error,
                                std::string_view call,
                                const std::string& path) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return Fail(error.code, NodeErrorText(ENOENT, call, path));
    case ErrorCode::kPermissionDenied:
      return Fail(error.code, "Access denied: " + error.message);
    default:
      return Fail(error.code, error.message);
  }
}

}  // namespace

std::string Storage::FreshName(std::string_view wanted) {
  if (wanted.empty()) wanted = "code";
  if (wanted.ends_with(".py")) wanted.remove_suffix(3);
  return std::string(wanted) + "_" + RandomHex(8) + ".py";
}

std::string Storage::PathOf(std::string_view name) const {
  return workspace_.Absolute(folder_ + "/" + std::string(name));
}

Result<std::string> Storage::MakeFolder() const {
  if (auto real = workspace_.Real(folder_)) return real;
  std::error_code error;
  // Link by link: a folder that leads out of the workspace is found by Real below.
  std::filesystem::create_directories(folder_, error);
  if (error) return Fail(ErrorCode::kUnavailable, folder_ + ": " + error.message());
  return workspace_.Real(folder_);
}

Status Storage::Create(const std::string& path, std::string_view content) const {
  RETURN_IF_ERROR(MakeFolder());
  auto real = workspace_.RealForNew(path);
  if (!real) return NodeError(real.error(), "open", path);
  auto file = workspace_.Open(*real, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0644);
  if (!file) return NodeError(file.error(), "open", path);
  return WriteAll(file->get(), content);
}

Status Storage::Append(const std::string& path, std::string_view content) const {
  ASSIGN_OR_RETURN(const std::string real, Find(path));
  auto file = workspace_.Open(real, O_WRONLY | O_APPEND | O_NONBLOCK);
  if (!file) return NodeError(file.error(), "open", path);
  return WriteAll(file->get(), content);
}

Result<std::string> Storage::Read(const std::string& path) const {
  ASSIGN_OR_RETURN(const std::string real, Find(path));
  auto file = workspace_.Open(real, O_RDONLY | O_NONBLOCK);
  if (!file) return NodeError(file.error(), "open", path);
  struct stat status {};
  if (::fstat(file->get(), &status) == 0 && S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, "EISDIR: illegal operation on a directory, read");
  if (!S_ISREG(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, path + " is no regular file");
  return ReadAll(file->get(), kFileMax);
}

Result<std::string> Storage::Find(const std::string& path) const {
  auto real = workspace_.Real(path);
  if (real) return real;
  if (!path.starts_with("/"))
    if (auto stored = workspace_.Real(PathOf(path))) return stored;
  return NodeError(real.error(), "access", path);
}

}  // namespace viv::tools::code_executor
