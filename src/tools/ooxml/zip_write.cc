#include <minizip/zip.h>

#include <algorithm>

#include "tools/ooxml/memory_file.h"
#include "tools/ooxml/zip.h"

namespace viv::tools::ooxml {
namespace {

// Fast rather than small: workbooks are written on every call of a tool.
constexpr int kCompressionLevel = 4;
constexpr std::size_t kPieceBytes = 16 << 20;
constexpr uLong kUtf8Names = 1 << 11;

Status WriteEntry(zipFile zip, const ZipSource& entry) {
  zip_fileinfo info{};
  info.tmz_date = {
      .tm_sec = 0, .tm_min = 0, .tm_hour = 0, .tm_mday = 1, .tm_mon = 0, .tm_year = 1980};
  const std::string name(entry.name);
  const int opened = zipOpenNewFileInZip4_64(
      zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, kCompressionLevel, 0,
      -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, 0, kUtf8Names, 0);
  if (opened != ZIP_OK) return Fail(ErrorCode::kInternal, "zip: cannot begin '" + name + "'");
  for (std::size_t at = 0; at < entry.bytes.size(); at += kPieceBytes) {
    const std::size_t count = std::min(kPieceBytes, entry.bytes.size() - at);
    if (zipWriteInFileInZip(zip, entry.bytes.data() + at, static_cast<unsigned>(count)) != ZIP_OK)
      return Fail(ErrorCode::kInternal, "zip: cannot pack '" + name + "'");
  }
  if (zipCloseFileInZip(zip) != ZIP_OK)
    return Fail(ErrorCode::kInternal, "zip: cannot end '" + name + "'");
  return {};
}

}  // namespace

Result<std::string> WriteZip(const std::vector<ZipSource>& entries) {
  MemoryFile file{.reading = {}, .written = {}, .at = 0, .writable = true};
  zlib_filefunc64_def functions = MemoryFunctions(file);
  zipFile zip = zipOpen2_64("memory", APPEND_STATUS_CREATE, nullptr, &functions);
  if (zip == nullptr) return Fail(ErrorCode::kInternal, "zip: cannot begin an archive");
  Status status;
  for (const ZipSource& entry : entries)
    if (status = WriteEntry(zip, entry); !status) break;
  if (zipClose(zip, nullptr) != ZIP_OK && status)
    status = Fail(ErrorCode::kInternal, "zip: cannot end the archive");
  if (!status) return PassUp(std::move(status).error());
  return std::move(file.written);
}

}  // namespace viv::tools::ooxml
