#pragma once
// The bytes of a tar file out of a descriptor, unzipped when they are gzip. Unlike libarchive's own
// filter this one checks the digest at the end of the gzip file, so that damage is seen, and keeps
// count: a small file that unfolds to a huge one is refused while it unfolds.

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::tools {

class ArchiveInput {
 public:
  explicit ArchiveInput(int fd);  // which outlives it
  ~ArchiveInput();
  ArchiveInput(const ArchiveInput&) = delete;
  ArchiveInput& operator=(const ArchiveInput&) = delete;

  // The next piece of the tar file, good until the next call; empty at its end.
  Result<std::string_view> Next();
  // Reads what is left behind the last member. kInvalidArgument when the file is cut off: the end
  // of a tar file is a block of zeros.
  Status Finish();

  std::uint64_t packed() const { return packed_; }
  std::uint64_t unpacked() const { return unpacked_; }

 private:
  Status Fill();  // more of the file, unless it is at its end
  Status Begin();
  Result<std::string_view> NextUnzipped();
  Status AfterMember();
  void KeepTail(std::string_view piece);

  const int fd_;
  enum class Form { kUnknown, kPlain, kGzip } form_ = Form::kUnknown;
  std::string in_, out_;
  std::size_t in_at_ = 0, in_end_ = 0;
  bool file_ended_ = false;
  bool over_ = false;  // of the tar file
  z_stream zip_{};
  bool zip_open_ = false;
  bool in_member_ = false;  // within one of the gzip members that follow each other
  std::uint64_t packed_ = 0, unpacked_ = 0;
  std::string tail_;  // the last bytes of the tar file
};

}  // namespace viv::tools
