// An app's tool file, as an author may mistype it: loading says what is wrong, or works.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/app_loader.h"
#include "fuzz_target.h"
#include "scratch_folder.h"

namespace {

std::string MakeApp(const std::string& path) {
  std::filesystem::create_directories(path + "/app/tools");
  std::ofstream(path + "/app/app.yaml")
      << "name: app\nprofiles:\n  default: {tools: [tools/t.yaml]}\n";
  std::ofstream(path + "/app/schema.sql")
      << "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\n";
  return path + "/app";
}

}  // namespace

FUZZ_TARGET(app)(const std::uint8_t* data, std::size_t size) {
  static const ScratchFolder scratch;
  static const std::string folder = MakeApp(scratch.path());
  std::ofstream(folder + "/tools/t.yaml", std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  (void)viv::engine::LoadApp(folder);
  return 0;
}
