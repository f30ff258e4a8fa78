// A world's log as a crash or a bad disk may leave it: replaying it never harms, whatever it holds.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "db/sqlite.h"
#include "engine/world_log.h"
#include "fuzz_target.h"
#include "scratch_folder.h"

namespace {

using namespace viv;
using namespace viv::engine;

ImagePtr MakeImage(const std::string& path) {
  auto connection = db::Connection::Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!connection ||
      !connection->Execute("PRAGMA page_size=4096; CREATE TABLE t (x); INSERT INTO t VALUES (1)"))
    std::abort();
  auto image = Image::Map(path, "image");
  if (!image) std::abort();
  return *image;
}

}  // namespace

FUZZ_TARGET(world_log)(const std::uint8_t* data, std::size_t size) {
  static const ScratchFolder scratch;
  static const ImagePtr image = MakeImage(scratch.path() + "/image.db");
  std::string path = scratch.path() + "/world.log";
  {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    // The header is right, so that the records are reached.
    constexpr char kHeader[] = "VIVWLOG1\x05\x00image";
    out.write(kHeader, sizeof kHeader - 1);
    out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  WorldLog log(path);
  Pages pages(image);
  (void)log.ReadImageId();
  (void)log.Replay(pages, [] {});
  return 0;
}
