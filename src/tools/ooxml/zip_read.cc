#include <minizip/unzip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "base/text.h"
#include "tools/ooxml/memory_file.h"
#include "tools/ooxml/zip.h"

namespace viv::tools::ooxml {
namespace {

constexpr std::size_t kNameBytesMax = 1024;

struct CloseUnzip {
  void operator()(void* zip) const { unzClose(zip); }
};
using Unzip = std::unique_ptr<void, CloseUnzip>;

tl::unexpected<Error> DamagedZip(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, "the zip archive is damaged: " + std::string(what));
}

// Whether a name stays inside: no leading slash, no "..", no drive, no backslash, no NUL.
bool NameStaysInside(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  if (name.find_first_of(std::string_view("\\:\0", 3)) != std::string_view::npos) return false;
  const auto words = Split(name, '/');
  return std::none_of(words.begin(), words.end(),
                      [](std::string_view word) { return word == ".." || word == "."; });
}

Status CheckEntry(const unz_file_info64& info, const std::string& name, const ZipLimits& limits) {
  if (!NameStaysInside(name))
    return DamagedZip("it has an entry named '" + Printable(name) + "', which leads out of it");
  if ((info.flag & 1) != 0) return DamagedZip("'" + Printable(name) + "' is encrypted");
  if (info.uncompressed_size > limits.entry_bytes_max)
    return Fail(ErrorCode::kLimitExceeded, "'" + Printable(name) + "' unpacks to more than " +
                                               std::to_string(limits.entry_bytes_max >> 20) +
                                               " MiB");
  const std::uint64_t packed = std::max<std::uint64_t>(info.compressed_size, 1);
  if (info.uncompressed_size > limits.ratio_from_bytes &&
      info.uncompressed_size / packed > limits.ratio_max)
    return Fail(ErrorCode::kLimitExceeded, "'" + Printable(name) + "' is packed more than " +
                                               std::to_string(limits.ratio_max) +
                                               " times, like a zip bomb");
  return {};
}

// Whether the record at the end of the archive is all there; minizip takes a cut one for an end.
bool HasWholeEnd(std::string_view bytes) {
  constexpr std::size_t kRecordBytes = 22;
  const std::size_t at = bytes.rfind(std::string_view("PK\5\6", 4));
  if (at == std::string_view::npos || bytes.size() - at < kRecordBytes) return false;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + i]));
  };
  return bytes.size() - at - kRecordBytes >= byte(20) + (byte(21) << 8);
}

// Reads the current entry. The size its header claims is a claim: one byte more is an error.
Result<std::string> ReadEntry(unzFile zip, const unz_file_info64& info, const std::string& name) {
  if (unzOpenCurrentFile(zip) != UNZ_OK)
    return DamagedZip("'" + Printable(name) + "' cannot be unpacked");
  std::string bytes;
  bytes.reserve(std::min<std::uint64_t>(info.uncompressed_size, 1 << 20));
  std::array<char, 64 << 10> piece;
  int count = 0;
  while ((count = unzReadCurrentFile(zip, piece.data(), piece.size())) > 0) {
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    if (bytes.size() > info.uncompressed_size) break;
  }
  const int closed = unzCloseCurrentFile(zip);
  if (count < 0 || closed != UNZ_OK || bytes.size() != info.uncompressed_size)
    return DamagedZip("'" + Printable(name) + "' does not unpack to what its header says");
  return bytes;
}

// The info and name of the current entry.
Result<std::pair<unz_file_info64, std::string>> EntryInfo(unzFile zip) {
  unz_file_info64 info{};
  std::string name(kNameBytesMax, '\0');
  if (unzGetCurrentFileInfo64(zip, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) !=
      UNZ_OK)
    return DamagedZip("its directory cannot be read");
  if (info.size_filename > kNameBytesMax) return DamagedZip("it has an entry with too long a name");
  name.resize(info.size_filename);
  return std::pair(info, std::move(name));
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZip(std::string_view bytes, const ZipLimits& limits) {
  MemoryFile file{.reading = bytes, .written = {}};
  zlib_filefunc64_def functions = MemoryFunctions(file);
  if (!HasWholeEnd(bytes)) return Fail(ErrorCode::kInvalidArgument, "File is not a zip file");
  Unzip zip(unzOpen2_64("memory", &functions));
  if (!zip) return Fail(ErrorCode::kInvalidArgument, "File is not a zip file");
  unz_global_info64 global{};
  if (unzGetGlobalInfo64(zip.get(), &global) != UNZ_OK)
    return DamagedZip("its directory cannot be read");
  if (global.number_entry > limits.entries_max)
    return Fail(ErrorCode::kLimitExceeded,
                "the zip archive has more than " + std::to_string(limits.entries_max) + " entries");
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  std::uint64_t total = 0;
  int at = global.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(zip.get());
  for (; at == UNZ_OK; at = unzGoToNextFile(zip.get())) {
    ASSIGN_OR_RETURN(auto entry, EntryInfo(zip.get()));
    const unz_file_info64& info = entry.first;
    std::string& name = entry.second;
    if (!name.empty() && name.back() == '/' && info.uncompressed_size == 0) continue;
    RETURN_IF_ERROR(CheckEntry(info, name, limits));
    total += info.uncompressed_size;
    if (total > limits.total_bytes_max)
      return Fail(ErrorCode::kLimitExceeded, "the zip archive unpacks to more than " +
                                                 std::to_string(limits.total_bytes_max >> 20) +
                                                 " MiB");
    if (!names.insert(name).second) return DamagedZip("it names '" + Printable(name) + "' twice");
    ASSIGN_OR_RETURN(std::string content, ReadEntry(zip.get(), info, name));
    entries.push_back({std::move(name), std::move(content)});
    if (entries.size() > limits.entries_max) return DamagedZip("its directory does not end");
  }
  if (at != UNZ_END_OF_LIST_OF_FILE) return DamagedZip("its directory cannot be read to its end");
  return entries;
}

}  // namespace viv::tools::ooxml
