// An app's tool file, as an author may mistype it: loading says what is wrong, or works.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/app_loader.h"

namespace {

std::string Folder() {
  static const std::string folder = [] {
    std::string path = (std::filesystem::temp_directory_path() / "viv-fuzz-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) std::abort();
    std::filesystem::create_directories(path + "/app/tools");
    std::ofstream(path + "/app/app.yaml") << "name: app\nprofiles:\n  default: {tools: [tools/t.yaml]}\n";
    std::ofstream(path + "/app/schema.sql") << "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\n";
    return path;
  }();
  return folder;
}

struct Cleanup {
  ~Cleanup() { std::filesystem::remove_all(Folder()); }
} cleanup;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(Folder() + "/app/tools/t.yaml", std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  (void)viv::engine::LoadApp(Folder() + "/app");
  return 0;
}
