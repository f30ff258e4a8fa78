#include "tools/ooxml/memory_file.h"

#include <algorithm>
#include <cstring>

namespace viv::tools::ooxml {
namespace {

MemoryFile& FileOf(void* stream) {
  return *static_cast<MemoryFile*>(stream);
}

void* OpenMemory(void* opaque, const void*, int) {
  FileOf(opaque).at = 0;
  return opaque;
}

uLong ReadMemory(void*, void* stream, void* to, uLong size) {
  MemoryFile& file = FileOf(stream);
  const std::string_view all = file.writable ? std::string_view(file.written) : file.reading;
  if (file.at >= all.size()) return 0;
  const std::size_t count = std::min<std::size_t>(size, all.size() - file.at);
  std::memcpy(to, all.data() + file.at, count);
  file.at += count;
  return count;
}

uLong WriteMemory(void*, void* stream, const void* from, uLong size) {
  MemoryFile& file = FileOf(stream);
  if (!file.writable) return 0;
  if (file.at + size > file.written.size()) file.written.resize(file.at + size);
  std::memcpy(file.written.data() + file.at, from, size);
  file.at += size;
  return size;
}

ZPOS64_T TellMemory(void*, void* stream) {
  return FileOf(stream).at;
}

// 0 on success. Places beyond the end are refused: a hostile archive names them.
long SeekMemory(void*, void* stream, ZPOS64_T offset, int origin) {
  MemoryFile& file = FileOf(stream);
  std::uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) base = file.at;
  if (origin == ZLIB_FILEFUNC_SEEK_END) base = file.size();
  if (offset > file.size() || base + offset > file.size()) return -1;
  file.at = base + offset;
  return 0;
}

int CloseMemory(void*, void*) {
  return 0;
}

int NoError(void*, void*) {
  return 0;
}

}  // namespace

zlib_filefunc64_def MemoryFunctions(MemoryFile& file) {
  zlib_filefunc64_def functions{};
  functions.zopen64_file = OpenMemory;
  functions.zread_file = ReadMemory;
  functions.zwrite_file = WriteMemory;
  functions.ztell64_file = TellMemory;
  functions.zseek64_file = SeekMemory;
  functions.zclose_file = CloseMemory;
  functions.zerror_file = NoError;
  functions.opaque = &file;
  return functions;
}

}  // namespace viv::tools::ooxml
