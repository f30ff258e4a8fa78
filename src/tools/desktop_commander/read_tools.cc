// read_file and read_multiple_files.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "tools/desktop_commander/commander.h"
#include "tools/desktop_commander/file_facts.h"
#include "tools/desktop_commander/lines.h"
#include "tools/kit/fetch.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kImageBytesMax = 20 << 20;
constexpr std::size_t kFilesAtOnceMax = 200;
constexpr std::size_t kFilesBytesMax = 32 << 20;

struct ReadResult {
  std::string content;  // base64 when it is an image
  std::string media_type = "text/plain";
  bool is_image = false;
};

ReadResult BinaryNotice(const std::string& real) {
  return {"Cannot read binary file as text: " + real.substr(real.rfind('/') + 1) +
              " (text/plain)\n\nUse start_process with a program for this kind of file (python3, "
              "node, file, xxd); read_file shows text files and images.",
          "text/plain", false};
}

Result<ReadResult> ReadImage(int fd, std::string_view media_type) {
  ASSIGN_OR_RETURN(std::string bytes, ReadAll(fd, kImageBytesMax));
  return ReadResult{EncodeBase64(bytes), std::string(media_type), true};
}

Result<ReadResult> ReadDisk(const Commander& commander,
                            std::string_view path,
                            LineRange range,
                            const std::atomic<bool>& cancelled) {
  ASSIGN_OR_RETURN(AllowedPath allowed, commander.folders.Existing(path, "stat"));
  ASSIGN_OR_RETURN(UniqueFd file, OpenFile(allowed, "open"));
  if (const std::string_view type = MediaTypeOf(allowed.real); IsImageType(type))
    return ReadImage(file.get(), type);
  char start[kBinaryCheckBytes];
  const ssize_t count = ::pread(file.get(), start, sizeof start, 0);
  if (count > 0 && LooksBinary({start, static_cast<std::size_t>(count)}))
    return BinaryNotice(allowed.real);
  struct stat status {};
  ::fstat(file.get(), &status);
  ASSIGN_OR_RETURN(LineWindow window, ReadLines(file.get(), status.st_size, range, cancelled));
  return ReadResult{RenderLines(window, range), "text/plain", false};
}

Result<ReadResult> ReadUrl(const std::string& url, const std::atomic<bool>& cancelled) {
  FetchRequest request;
  request.url = url;
  request.cancelled = &cancelled;
  ASSIGN_OR_RETURN(Fetched fetched, Fetch(request), "Failed to fetch URL");
  if (fetched.status < 200 || fetched.status > 299)
    return Fail(ErrorCode::kUnavailable,
                "Failed to fetch URL: HTTP error! Status: " + std::to_string(fetched.status));
  if (IsImageType(fetched.content_type))
    return ReadResult{EncodeBase64(fetched.body), fetched.content_type, true};
  return ReadResult{std::move(fetched.body), "text/plain", false};
}

json::object ImageBlock(ReadResult image) {
  return {{"type", "image"},
          {"data", std::move(image.content)},
          {"mimeType", std::move(image.media_type)}};
}

ToolResult ReadFileTool(Commander& commander,
                        const Arguments& arguments,
                        const CallContext& context) {
  const std::string path = arguments.Text("path");
  const LineRange range{arguments.Integer("offset"), arguments.Integer("length", 1000)};
  auto read = arguments.Flag("isUrl") ? ReadUrl(path, context.cancelled)
                                      : ReadDisk(commander, path, range, context.cancelled);
  if (!read) return Failed(read.error());
  if (!read->is_image) return Text(std::move(read->content));
  ToolResult result = Text("Image file: " + path + " (" + read->media_type + ")\n");
  result.content.push_back(ImageBlock(*std::move(read)));
  return result;
}

ToolResult ReadFilesTool(Commander& commander,
                         const Arguments& arguments,
                         const CallContext& context) {
  const std::vector<std::string> paths = arguments.Texts("paths");
  if (paths.size() > kFilesAtOnceMax)
    return ErrorText("Error: no more than 200 files can be read at once");
  std::string summary;
  ToolResult contents;
  std::size_t bytes = 0;
  for (const std::string& path : paths) {
    if (!summary.empty()) summary += '\n';
    if (bytes > kFilesBytesMax) {
      summary += path + ": Error - not read, the files before it fill the answer";
      continue;
    }
    auto read = ReadDisk(commander, path, LineRange{}, context.cancelled);
    if (!read) {
      summary += path + ": Error - " + read.error().message;
      continue;
    }
    bytes += read->content.size();
    summary += path + ": " + read->media_type + (read->is_image ? " (image)" : " (text)");
    if (read->is_image) {
      contents.content.push_back(ImageBlock(*std::move(read)));
    } else {
      AddText(contents, "\n--- " + path + " contents: ---\n" + read->content);
    }
  }
  ToolResult result = Text(std::move(summary));
  for (json::value& block : contents.content) result.content.push_back(std::move(block));
  return result;
}

}  // namespace

void AddReadTools(Binder& binder) {
  binder.On("read_file", ReadFileTool, Concurrency::kParallel);
  binder.On("read_multiple_files", ReadFilesTool, Concurrency::kParallel);
}

}  // namespace viv::tools::commander
