#include "templates/layer_extract.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/archive_path.h"
#include "base/libarchive_member.h"
#include "templates/layer_writer.h"

namespace viv::templates {
namespace {

// A compressed byte may stand for this many, beyond a first allowance.
constexpr std::int64_t kRatioMax = 200;
constexpr std::int64_t kRatioFree = 64LL << 20;
constexpr std::size_t kReadBlock = 256 << 10;

struct ArchiveCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using ArchiveReader = std::unique_ptr<archive, ArchiveCloser>;

tl::unexpected<Error> RefuseArchive(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

tl::unexpected<Error> FailArchive(archive* reader) {
  const char* text = archive_error_string(reader);
  return RefuseArchive(std::string("the layer is damaged: ") +
                       (text != nullptr ? text : "no tar file"));
}

class LayerExtractor {
 public:
  LayerExtractor(archive* reader,
                 LayerWriter writer,
                 ExtractBudget& budget,
                 std::int64_t packed_bytes)
      : reader_(reader),
        writer_(std::move(writer)),
        budget_(budget),
        bytes_left_(packed_bytes * kRatioMax + kRatioFree) {}

  Status Run() {
    archive_entry* entry = nullptr;
    while (true) {
      const int got = archive_read_next_header(reader_, &entry);
      if (got == ARCHIVE_EOF) return {};
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) return FailArchive(reader_);
      RETURN_IF_ERROR(Entry(entry));
    }
  }

 private:
  Status Entry(archive_entry* entry) {
    if (--budget_.entries < 0) return RefuseArchive("the image holds too many files");
    const ArchiveMember member = ReadArchiveMember(entry);
    ASSIGN_OR_RETURN(CheckedMember checked,
                     CheckArchiveMember(member, ArchiveUse::kRootFileSystem));
    if (checked.is_left_out) return {};
    const std::string leaf = checked.path.back();
    checked.path.pop_back();
    ASSIGN_OR_RETURN(const UniqueFd parent, writer_.OpenParent(checked.path), "unpack " + leaf);
    if (leaf.starts_with(".wh.")) return writer_.Whiteout(parent.get(), leaf.substr(4));
    const EntryStatus status{.mode = static_cast<mode_t>(archive_entry_perm(entry)),
                             .user = archive_entry_uid(entry),
                             .group = archive_entry_gid(entry),
                             .modified = archive_entry_mtime(entry)};
    if (member.kind == ArchiveMember::Kind::kHardLink)
      return writer_.HardLink(parent.get(), leaf, checked.linked_path);
    if (member.kind == ArchiveMember::Kind::kFolder)
      return writer_.Folder(parent.get(), leaf, status);
    if (member.kind == ArchiveMember::Kind::kSymbolicLink)
      return writer_.Link(parent.get(), leaf, member.target, status);
    return File(entry, parent.get(), leaf, status);
  }

  Status File(archive_entry* entry,
              int parent,
              const std::string& leaf,
              const EntryStatus& status) {
    const std::int64_t size = archive_entry_size(entry);
    // A hole costs nothing on disk but counts: the size is what a box would see.
    if (size < 0 || (budget_.bytes -= size) < 0 || (bytes_left_ -= size) < 0)
      return RefuseArchive("the image unpacks to far more than it may hold");
    ASSIGN_OR_RETURN(const UniqueFd file, writer_.NewFile(parent, leaf));
    if (size > 0 && ftruncate(file.get(), size) != 0) return FailSystem("unpack " + leaf);
    RETURN_IF_ERROR(Data(file.get(), size), "unpack " + leaf);
    RETURN_IF_ERROR(LayerWriter::Finish(file.get(), status), "unpack " + leaf);
    return CopyCapabilities(entry, file.get());  // last: a change of owner would take them away
  }

  Status Data(int file, std::int64_t size) {
    const void* data = nullptr;
    std::size_t length = 0;
    la_int64_t offset = 0;
    while (true) {
      const int got = archive_read_data_block(reader_, &data, &length, &offset);
      if (got == ARCHIVE_EOF) return {};
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) return FailArchive(reader_);
      if (offset < 0 || static_cast<std::int64_t>(length) > size - offset)
        return RefuseArchive("a file in the archive is larger than it says");
      for (std::size_t done = 0; done < length;) {
        const ssize_t wrote = pwrite(file, static_cast<const char*>(data) + done, length - done,
                                     offset + static_cast<la_int64_t>(done));
        if (wrote < 0) return FailSystem("write");
        done += static_cast<std::size_t>(wrote);
      }
    }
  }

  // Of the extended attributes only those that lend a program capabilities within the box.
  static Status CopyCapabilities(archive_entry* entry, int file) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    archive_entry_xattr_reset(entry);
    while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
      if (name != nullptr && std::string_view(name) == "security.capability")
        RETURN_IF_ERROR(LayerWriter::SetCapabilities(file, value, size));
    }
    return {};
  }

  archive* reader_;
  LayerWriter writer_;
  ExtractBudget& budget_;
  std::int64_t bytes_left_;
};

}  // namespace

Status ExtractLayer(const UniqueFd& archive_file,
                    const std::string& folder,
                    ExtractBudget& budget) {
  struct stat status {};
  if (fstat(archive_file.get(), &status) != 0) return FailSystem("read a layer");
  ArchiveReader reader(archive_read_new());
  archive_read_support_format_tar(reader.get());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_zstd(reader.get());
  if (archive_read_open_fd(reader.get(), archive_file.get(), kReadBlock) != ARCHIVE_OK)
    return FailArchive(reader.get());
  ASSIGN_OR_RETURN(LayerWriter writer, LayerWriter::Open(folder));
  return LayerExtractor(reader.get(), std::move(writer), budget, status.st_size).Run();
}

}  // namespace viv::templates
