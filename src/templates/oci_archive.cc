#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/archive_path.h"
#include "templates/folder_writer.h"
#include "templates/layer_writer.h"
#include "templates/oci_image.h"

namespace viv::templates {
namespace {

constexpr std::int64_t kOciArchiveBytesMax = 20LL << 30;
constexpr int kOciArchiveEntriesMax = 10'000;

struct OciReaderCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

// The names an image is made of; others, such as Docker's own manifest.json, are passed over.
bool IsImagePart(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0] == "oci-layout" || parts[0] == "index.json";
  if (parts.size() != 3 || parts[0] != "blobs" || parts[1] != "sha256") return false;
  return parts[2].size() == 64 && std::all_of(parts[2].begin(), parts[2].end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status CopyOut(archive* reader,
               archive_entry* entry,
               const LayerWriter& writer,
               std::vector<std::string> parts,
               std::int64_t& bytes_left) {
  const std::int64_t size = archive_entry_size(entry);
  if (size < 0 || (bytes_left -= size) < 0)
    return Fail(ErrorCode::kInvalidArgument, "the archive is larger than 20 GiB");
  const std::string leaf = parts.back();
  parts.pop_back();
  ASSIGN_OR_RETURN(const UniqueFd parent, writer.OpenParent(parts));
  ASSIGN_OR_RETURN(const UniqueFd file, writer.NewFile(parent.get(), leaf));
  if (archive_read_data_into_fd(reader, file.get()) != ARCHIVE_OK)
    return Fail(ErrorCode::kInvalidArgument, "the archive ends early, or is damaged");
  return {};
}

}  // namespace

Status UnpackOciArchive(const std::string& file, const std::string& layout) {
  const UniqueFd input(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!input) return FailSystem("open " + file);
  const std::unique_ptr<archive, OciReaderCloser> reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  // Not compressed as a whole: its layers are. So its size limits what it can unpack to.
  if (archive_read_open_fd(reader.get(), input.get(), 256 << 10) != ARCHIVE_OK)
    return Fail(ErrorCode::kInvalidArgument, file + " is no tar file");
  RETURN_IF_ERROR(FolderWriter::Create(layout));
  ASSIGN_OR_RETURN(const LayerWriter writer, LayerWriter::Open(layout));
  std::int64_t bytes_left = kOciArchiveBytesMax;
  archive_entry* entry = nullptr;
  for (int count = 0; count < kOciArchiveEntriesMax; ++count) {
    const int got = archive_read_next_header(reader.get(), &entry);
    if (got == ARCHIVE_EOF) return {};
    if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
      return Fail(ErrorCode::kInvalidArgument, file + " is no tar file, or is damaged");
    const char* name = archive_entry_pathname(entry);
    ASSIGN_OR_RETURN(const auto parts, SplitArchivePath(name != nullptr ? name : ""));
    if (!IsImagePart(parts)) continue;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      return Fail(ErrorCode::kInvalidArgument, parts.back() + " in the archive is no file");
    RETURN_IF_ERROR(CopyOut(reader.get(), entry, writer, parts, bytes_left));
  }
  return Fail(ErrorCode::kInvalidArgument, "the archive holds too many files");
}

}  // namespace viv::templates
