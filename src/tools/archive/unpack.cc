#include "tools/archive/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "base/archive_path.h"
#include "base/libarchive_member.h"
#include "tools/archive/archive_input.h"
#include "tools/archive/beneath.h"
#include "tools/archive/staging.h"

namespace viv::tools {
namespace {

struct ArchiveCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

// What libarchive calls for more, with the error that it cannot carry itself.
struct Feed {
  explicit Feed(int fd) : input(fd) {}
  ArchiveInput input;
  std::optional<Error> error;
};

la_ssize_t FeedArchive(archive* reader, void* client, const void** buffer) {
  Feed& feed = *static_cast<Feed*>(client);
  auto piece = feed.input.Next();
  if (!piece) {
    feed.error = std::move(piece).error();
    archive_set_error(reader, EIO, "%s", feed.error->message.c_str());
    return -1;
  }
  *buffer = piece->data();
  return static_cast<la_ssize_t>(piece->size());
}

class Unpacker {
 public:
  Unpacker(int input, Staging& staging, UnpackLimits limits)
      : feed_(input), staging_(staging), limits_(limits), reader_(archive_read_new()) {}

  Result<Unpacked> Run() {
    if (reader_ == nullptr) return Fail(ErrorCode::kInternal, "out of memory");
    archive_read_support_format_tar(reader_.get());
    if (archive_read_open(reader_.get(), &feed_, nullptr, FeedArchive, nullptr) != ARCHIVE_OK)
      return Damaged();
    for (;;) {
      archive_entry* entry = nullptr;
      const int got = archive_read_next_header(reader_.get(), &entry);
      if (got == ARCHIVE_EOF) break;
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) return Damaged();
      RETURN_IF_ERROR(Member(entry));
    }
    RETURN_IF_ERROR(feed_.input.Finish());
    return done_;
  }

 private:
  tl::unexpected<Error> Damaged() {
    if (feed_.error) return PassUp(*feed_.error);
    const char* text = archive_error_string(reader_.get());
    return Fail(ErrorCode::kInvalidArgument, "the archive is no readable tar.gz file: " +
                                                 PrintableArchiveName(text != nullptr ? text : ""));
  }

  Status Member(archive_entry* entry) {
    if (++entries_ > limits_.entries_max)
      return Fail(ErrorCode::kLimitExceeded,
                  "the archive has more than " + std::to_string(limits_.entries_max) + " members");
    const ArchiveMember member = ReadArchiveMember(entry);
    ASSIGN_OR_RETURN(const CheckedMember checked, CheckArchiveMember(member, ArchiveUse::kFolder));
    if (checked.is_left_out) return {};
    const Staging::Attributes attributes{.mode = static_cast<mode_t>(archive_entry_perm(entry)),
                                         .modified = archive_entry_mtime(entry)};
    if (member.kind == ArchiveMember::Kind::kFolder)
      return staging_.AddFolder(checked.path, attributes);
    ++done_.files;
    if (member.kind == ArchiveMember::Kind::kSymbolicLink)
      return staging_.AddLink(checked.path, member.target);
    if (member.kind == ArchiveMember::Kind::kHardLink)
      return staging_.AddHardLink(checked.path, checked.linked_path);
    return File(entry, checked.path, attributes);
  }

  Status File(archive_entry* entry,
              const Staging::Parts& parts,
              const Staging::Attributes& attributes) {
    const std::int64_t size = archive_entry_size(entry);
    if (size < 0) return RefuseArchiveMember(JoinArchivePath(parts), "has no size");
    // A hole costs nothing on disk but counts: the size is what a reader sees.
    if (static_cast<std::uint64_t>(size) > limits_.bytes_max - done_.bytes)
      return Fail(ErrorCode::kLimitExceeded, "the archive unpacks to more than " +
                                                 std::to_string(limits_.bytes_max) + " bytes");
    done_.bytes += static_cast<std::uint64_t>(size);
    ASSIGN_OR_RETURN(const UniqueFd file, staging_.AddFile(parts));
    RETURN_IF_ERROR(Data(file.get(), size, parts));
    return Staging::FinishFile(file.get(), attributes);
  }

  Status Data(int file, std::int64_t size, const Staging::Parts& parts) {
    std::int64_t end = 0;
    for (;;) {
      const void* data = nullptr;
      std::size_t length = 0;
      la_int64_t offset = 0;
      const int got = archive_read_data_block(reader_.get(), &data, &length, &offset);
      if (got == ARCHIVE_EOF) break;
      if (got != ARCHIVE_OK && got != ARCHIVE_WARN) return Damaged();
      if (offset < 0 || offset > size || static_cast<std::int64_t>(length) > size - offset)
        return RefuseArchiveMember(JoinArchivePath(parts), "is larger than it says");
      RETURN_IF_ERROR(WriteAt(file, static_cast<const char*>(data), length, offset));
      end = offset + static_cast<std::int64_t>(length);
    }
    if (end < size && ::ftruncate(file, size) != 0) return FailArchiveCall("write a file", errno);
    return {};
  }

  static Status WriteAt(int file, const char* data, std::size_t length, std::int64_t offset) {
    for (std::size_t done = 0; done < length;) {
      const ssize_t wrote =
          ::pwrite(file, data + done, length - done, offset + static_cast<std::int64_t>(done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return FailArchiveCall("write a file", errno);
      done += static_cast<std::size_t>(wrote);
    }
    return {};
  }

  Feed feed_;
  Staging& staging_;
  const UnpackLimits limits_;
  std::unique_ptr<archive, ArchiveCloser> reader_;
  std::size_t entries_ = 0;
  Unpacked done_;
};

}  // namespace

Result<Unpacked> Unpack(int input, const std::string& folder, UnpackLimits limits) {
  ASSIGN_OR_RETURN(Staging staging, Staging::Make(folder));
  ASSIGN_OR_RETURN(const Unpacked done, Unpacker(input, staging, limits).Run());
  RETURN_IF_ERROR(staging.Merge());
  return done;
}

}  // namespace viv::tools
