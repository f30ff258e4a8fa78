// read_file, read_text_file, read_media_file and read_multiple_files.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "tools/filesystem/js_text.h"
#include "tools/filesystem/resolved_path.h"

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kMediaBytesMax = 8 << 20;
constexpr std::size_t kBlockBytes = 64 << 10;

tl::unexpected<Error> TooLong(const ResolvedPath& resolved, std::string_view advice) {
  return Fail(ErrorCode::kLimitExceeded, resolved.shown + " has more than " +
                                             std::to_string(kTextBytesMax >> 20) +
                                             " MiB to read at once: " + std::string(advice));
}

Result<std::string> ReadWhole(const Workspace& workspace,
                              const ResolvedPath& resolved,
                              std::size_t bytes_max,
                              std::string_view advice) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(workspace, resolved));
  auto bytes = ReadAll(file.get(), bytes_max);
  if (!bytes && bytes.error().code == ErrorCode::kLimitExceeded) return TooLong(resolved, advice);
  return bytes;
}

Result<std::string> ReadBlock(int fd,
                              std::int64_t offset,
                              std::size_t size,
                              const ResolvedPath& resolved) {
  std::string block(size, '\0');
  ssize_t count = 0;
  do {
    count = ::pread(fd, block.data(), size, offset);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return Fail(ErrorCode::kInternal, NodeErrorText(errno, "read", resolved.shown));
  block.resize(static_cast<std::size_t>(count));
  return block;
}

// The first lines of a file. A last line without content does not count.
Result<std::string> ReadHead(const Workspace& workspace,
                             const ResolvedPath& resolved,
                             double lines) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(workspace, resolved));
  std::string text;
  double found = 0;
  while (found < lines) {
    const auto offset = static_cast<std::int64_t>(text.size());
    ASSIGN_OR_RETURN(std::string block, ReadBlock(file.get(), offset, kBlockBytes, resolved));
    if (block.empty()) {
      if (text.ends_with('\n')) text.pop_back();
      break;
    }
    for (std::size_t i = 0; i < block.size() && found < lines; ++i) {
      if (block[i] != '\n') continue;
      found += 1;
      if (found >= lines) block.resize(i);
    }
    text += block;
    if (text.size() > kTextBytesMax) return TooLong(resolved, "ask for fewer lines");
  }
  return text;
}

// The last lines of a file; what follows the last line feed is one of them.
Result<std::string> ReadTail(const Workspace& workspace,
                             const ResolvedPath& resolved,
                             double lines) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenForReading(workspace, resolved, "stat"));
  std::int64_t begin = ::lseek(file.get(), 0, SEEK_END);
  std::vector<std::string> blocks;  // the last one first
  std::size_t bytes = 0;
  double found = 0;
  while (begin > 0 && found < lines) {
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(begin, kBlockBytes));
    begin -= static_cast<std::int64_t>(size);
    ASSIGN_OR_RETURN(std::string block, ReadBlock(file.get(), begin, size, resolved));
    for (std::size_t i = block.size(); i-- > 0 && found < lines;) {
      if (block[i] != '\n') continue;
      found += 1;
      if (found >= lines) block.erase(0, i + 1);
    }
    bytes += block.size();
    if (bytes > kTextBytesMax) return TooLong(resolved, "ask for fewer lines");
    blocks.push_back(std::move(block));
  }
  std::string text;
  text.reserve(bytes);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) text += *block;
  return WithoutCarriageReturns(text);
}

Result<std::string> ReadTextFile(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  const double head = arguments.Number("head"), tail = arguments.Number("tail");
  if (head != 0 && tail != 0)
    return Fail(ErrorCode::kInvalidArgument,
                "Cannot specify both head and tail parameters simultaneously");
  if (tail != 0) return ReadTail(workspace, resolved, std::ceil(tail));
  if (head != 0) return ReadHead(workspace, resolved, std::ceil(head));
  return ReadWhole(workspace, resolved, kTextBytesMax, "use head or tail to read a part of it");
}

// The failure of one file stands in its place; the others are read all the same.
std::string ReadMultipleFiles(const Workspace& workspace, const Arguments& arguments) {
  std::string text;
  bool first = true;
  for (const std::string& path : arguments.Texts("paths")) {
    if (!first) text += "\n---\n";
    first = false;
    if (text.size() > kTextBytesMax) {
      text += "Error - the answer has reached " + std::to_string(kTextBytesMax >> 20) +
              " MiB: read the files from " + path + " on in another call";
      break;
    }
    auto resolved = ResolvePath(workspace, path);
    auto content = resolved ? ReadWhole(workspace, *resolved, kTextBytesMax,
                                        "use read_text_file with head or tail")
                            : Result<std::string>(tl::unexpected(resolved.error()));
    text +=
        content ? path + ":\n" + *content + "\n" : path + ": Error - " + content.error().message;
  }
  return text;
}

std::string MediaTypeOf(const std::string& path) {
  struct Known {
    std::string_view ending, type;
  };
  static constexpr std::array<Known, 11> kKnown = {{{".png", "image/png"},
                                                    {".jpg", "image/jpeg"},
                                                    {".jpeg", "image/jpeg"},
                                                    {".gif", "image/gif"},
                                                    {".webp", "image/webp"},
                                                    {".bmp", "image/bmp"},
                                                    {".svg", "image/svg+xml"},
                                                    {".mp3", "audio/mpeg"},
                                                    {".wav", "audio/wav"},
                                                    {".ogg", "audio/ogg"},
                                                    {".flac", "audio/flac"}}};
  const std::string name = ToLower(path.substr(path.rfind('/') + 1));
  const std::size_t dot = name.rfind('.');
  // A dot at the beginning makes a hidden file, not an ending.
  if (dot == 0 || dot == name.npos) return "application/octet-stream";
  for (const Known& known : kKnown)
    if (name.substr(dot) == known.ending) return std::string(known.type);
  return "application/octet-stream";
}

std::string FileUrl(std::string_view path) {
  constexpr std::string_view kKept = "/!$&'()*+,-.:;=@_";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string url = "file://";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kKept.find(c) != kKept.npos) {
      url += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      ((url += '%') += kDigits[byte >> 4]) += kDigits[byte & 15];
    }
  }
  return url;
}

Result<ToolResult> ReadMediaFile(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ResolvedPath resolved, ResolvePath(workspace, arguments.Text("path")));
  ASSIGN_OR_RETURN(std::string bytes, ReadWhole(workspace, resolved, kMediaBytesMax,
                                                "media of up to 8 MiB can be read"));
  const std::string type = MediaTypeOf(resolved.real);
  json::object item;
  if (type.starts_with("image/") || type.starts_with("audio/")) {
    item = {{"type", type.substr(0, 5)}, {"data", EncodeBase64(bytes)}, {"mimeType", type}};
  } else {
    item = {{"type", "resource"},
            {"resource",
             {{"uri", FileUrl(resolved.real)}, {"mimeType", type}, {"blob", EncodeBase64(bytes)}}}};
  }
  ToolResult result;
  result.content.push_back(item);
  result.structured = json::object{{"content", result.content}};
  return result;
}

}  // namespace

void BindReading(ToolServer& server, const Workspace& workspace) {
  for (std::string_view tool : {"read_file", "read_text_file"}) {
    BindTextTool(server, tool, [workspace](const Arguments& arguments, const CallContext&) {
      return ReadTextFile(workspace, arguments);
    });
  }
  BindTextTool(server, "read_multiple_files",
               [workspace](const Arguments& arguments, const CallContext&) -> Result<std::string> {
                 return ReadMultipleFiles(workspace, arguments);
               });
  server.On(
      "read_media_file",
      [workspace](const Arguments& arguments, const CallContext&) -> CallResult {
        auto result = ReadMediaFile(workspace, arguments);
        if (!result) return ErrorText(result.error().message);
        return std::move(*result);
      },
      Concurrency::kParallel);
}

}  // namespace viv::tools::filesystem
