#pragma once
// A file in memory for minizip, which reads and writes through a table of functions.

#include <minizip/ioapi.h>

#include <string>
#include <string_view>

namespace viv::tools::ooxml {

struct MemoryFile {
  std::string_view reading;  // what is read; empty when writing
  std::string written;
  std::uint64_t at = 0;
  bool writable = false;

  std::uint64_t size() const { return writable ? written.size() : reading.size(); }
};

// The table for one file, which must outlive all use of it. Opening gives that file whatever the
// name.
zlib_filefunc64_def MemoryFunctions(MemoryFile& file);

}  // namespace viv::tools::ooxml
