#include "agent/files/filesystem_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <memory>

#include "agent/files/atomic_file.h"
#include "agent/files/copy_tree.h"
#include "agent/files/entry_info.h"
#include "agent/files/fs_user.h"
#include "agent/files/list_folder.h"
#include "agent/files/paths.h"
#include "agent/files/remove_tree.h"
#include "agent/files/yield.h"

namespace viv::agent {
namespace {

using connect::Code;
using connect::FailRpc;

constexpr std::size_t kWalkStepsPerBatch = 512;
constexpr std::size_t kRenderedPerBatch = 1024;

std::string_view StringMember(const json::object& message, std::string_view name) {
  const json::value* member = message.if_contains(name);
  return member != nullptr && member->is_string() ? View(member->get_string()) : "";
}

FileRpcResult EntryResponse(const Context& context, const Entry& entry) {
  OwnerNames names(context.users);
  json::object answer;
  answer["entry"] = RenderEntry(entry, names);
  return answer;
}

FileRpcResult EntryResponseAt(const Context& context, const User& user, const std::string& path) {
  ErrnoOr<Entry> entry = RunAsUserWithRootCapabilities(user, [&] { return ReadEntry(path); });
  if (entry) return EntryResponse(context, *entry);
  std::string doing = entry.error() == ENOENT ? "file not found" : "error getting file info";
  return FileRpcError(FailFile(entry.error(), doing + ": lstat " + path).value());
}

struct FreeResolved {
  void operator()(char* text) const { ::free(text); }
};

// The folder that `path` leads to, links followed. To be called as the user.
FileResult<std::string> RealFolder(const std::string& path) {
  std::unique_ptr<char, FreeResolved> resolved(::realpath(path.c_str(), nullptr));
  if (!resolved) {
    if (errno == ENOENT) return FailFile(errno, "path not found: lstat " + path);
    if (errno == ELOOP) {
      return FailFileWith(ELOOP, "cyclic symlink or chain >255 links at \"" + path + "\"");
    }
    return FailFile(errno, "error resolving symlink: lstat " + path);
  }
  struct stat info {};
  std::string real(resolved.get());
  if (::stat(real.c_str(), &info) != 0)
    return FailFile(errno, "error getting file info: stat " + real);
  if (!S_ISDIR(info.st_mode)) return FailFileWith(EINVAL, "path is not a directory: " + real);
  return real;
}

// To be called as the user.
FileResult<void> MakeNewFolder(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return FailFileWith(EEXIST, "directory already exists: " + path);
    return FailFileWith(EINVAL, "path already exists but it is not a directory: " + path);
  }
  if (errno != ENOENT) return FailFile(errno, "error getting file info: stat " + path);
  return EnsureFolders(path);
}

// To be called as the user.
FileResult<void> RenameFile(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  std::string doing = errno == ENOENT ? "source file not found" : "error renaming";
  return FailFile(errno, doing + ": rename " + from + " " + to);
}

// Where a rename cannot do it. The copy gets its name in one step, and only then the original goes.
Task<FileResult<void>> MoveByCopy(User user, std::string from, std::string to) {
  std::string temporary = JoinPath(ParentOf(to), TemporaryName(false));
  FileResult<void> moved = co_await CopyTree(user, from, temporary);
  if (moved) moved = RunAsUserWithRootCapabilities(user, [&] { return RenameFile(temporary, to); });
  if (moved) {
    FileResult<void> removed = co_await RemoveTree(user, from);
    co_return removed;
  }
  FileResult<void> cleaned = co_await RemoveTree(user, temporary);
  static_cast<void>(cleaned.has_value());  // the first failure is the one to tell
  co_return AddContext(moved.error(), "error renaming");
}

}  // namespace

tl::unexpected<connect::RpcError> FileRpcError(const FileError& file_error) {
  Code code = Code::kInternal;
  switch (file_error.code) {
    case ENOENT:
      code = Code::kNotFound;
      break;
    case EEXIST:
      code = Code::kAlreadyExists;
      break;
    case EINVAL:
    case ENAMETOOLONG:
      code = Code::kInvalidArgument;
      break;
    case ELOOP:
      code = Code::kFailedPrecondition;
      break;
    case EACCES:
    case EPERM:
      code = Code::kPermissionDenied;
      break;
    case E2BIG:
      code = Code::kResourceExhausted;
      break;
    default:
      break;
  }
  return FailRpc(code, ValidUtf8(file_error.message));
}

connect::RpcResult<CallerAndPath> ReadCallerAndPath(const Context& context,
                                                    const http::Request& request,
                                                    const json::object& message,
                                                    std::string_view member) {
  connect::RpcResult<User> user = CallerOf(context, request);
  if (!user) return tl::unexpected<connect::RpcError>(user.error());
  FileResult<std::string> path = ResolveGivenPath(context, *user, StringMember(message, member));
  if (!path) return FileRpcError(path.error());
  return CallerAndPath{*std::move(user), *std::move(path)};
}

Task<FileRpcResult> StatFile(const Context& context,
                             const http::Request& request,
                             json::object in) {
  auto asked = ReadCallerAndPath(context, request, in, "path");
  if (!asked) co_return tl::unexpected<connect::RpcError>(asked.error());
  co_return EntryResponseAt(context, asked->user, asked->path);
}

Task<FileRpcResult> MakeDirectory(const Context& context,
                                  const http::Request& request,
                                  json::object in) {
  auto asked = ReadCallerAndPath(context, request, in, "path");
  if (!asked) co_return tl::unexpected<connect::RpcError>(asked.error());
  FileResult<void> made =
      RunAsUserWithRootCapabilities(asked->user, [&] { return MakeNewFolder(asked->path); });
  if (!made) co_return FileRpcError(made.error());
  co_return EntryResponseAt(context, asked->user, asked->path);
}

Task<FileRpcResult> MoveFile(const Context& context,
                             const http::Request& request,
                             json::object in) {
  auto source = ReadCallerAndPath(context, request, in, "source");
  if (!source) co_return tl::unexpected<connect::RpcError>(source.error());
  auto destination = ReadCallerAndPath(context, request, in, "destination");
  if (!destination) co_return tl::unexpected<connect::RpcError>(destination.error());
  const User& user = source->user;
  FileResult<void> moved = RunAsUserWithRootCapabilities(user, [&]() -> FileResult<void> {
    FileResult<void> ensured = EnsureFolders(ParentOf(destination->path));
    if (!ensured) return ensured;
    return RenameFile(source->path, destination->path);
  });
  if (!moved && moved.error().code == EXDEV) {
    moved = co_await MoveByCopy(user, source->path, destination->path);
  }
  if (!moved) co_return FileRpcError(moved.error());
  co_return EntryResponseAt(context, user, destination->path);
}

Task<FileRpcResult> ListDirectory(const Context& context,
                                  const http::Request& request,
                                  json::object in) {
  auto asked = ReadCallerAndPath(context, request, in, "path");
  if (!asked) co_return tl::unexpected<connect::RpcError>(asked.error());
  const json::value* depth = in.if_contains("depth");
  std::int64_t levels = depth != nullptr && depth->is_int64() ? depth->get_int64() : 0;
  FileResult<std::string> real =
      RunAsUserWithRootCapabilities(asked->user, [&] { return RealFolder(asked->path); });
  if (!real) co_return FileRpcError(real.error());

  FolderWalk walk(*real, asked->path, levels > 0 ? levels : 1);
  for (;;) {
    ErrnoOr<bool> done =
        RunAsUserWithRootCapabilities(asked->user, [&] { return walk.Step(kWalkStepsPerBatch); });
    if (!done && done.error() == E2BIG) {
      co_return FailRpc(Code::kResourceExhausted,
                        "more than 100000 entries in " + ValidUtf8(asked->path) +
                            ": list a folder below it, or a smaller depth");
    }
    if (!done) {
      FileError file_error = FailFile(done.error(), "error reading directory " + *real).value();
      co_return FileRpcError(file_error);
    }
    if (*done) break;
    co_await Yield();
  }
  OwnerNames names(context.users);
  json::array entries;
  for (const Entry& entry : walk.entries()) {
    entries.push_back(RenderEntry(entry, names));
    if (entries.size() % kRenderedPerBatch == 0) co_await Yield();
  }
  json::object answer;
  answer["entries"] = std::move(entries);
  co_return answer;
}

Task<FileRpcResult> RemoveFile(const Context& context,
                               const http::Request& request,
                               json::object in) {
  auto asked = ReadCallerAndPath(context, request, in, "path");
  if (!asked) co_return tl::unexpected<connect::RpcError>(asked.error());
  FileResult<void> removed = co_await RemoveTree(asked->user, asked->path);
  if (!removed) co_return FileRpcError(removed.error());
  co_return json::object();
}

}  // namespace viv::agent
