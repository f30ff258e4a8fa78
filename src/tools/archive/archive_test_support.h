#pragma once
// Archives made by hand, folders to unpack them into, and what is in a folder afterwards.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/unique_fd.h"
#include "tools/archive/pack.h"
#include "tools/archive/tar_header.h"
#include "tools/archive/unpack.h"

namespace viv::tools {

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() { std::filesystem::create_directory(folder_); }
  ~ArchiveTest() override { std::filesystem::remove_all(scratch_); }

  static std::string MakeScratch() {
    std::string path = (std::filesystem::temp_directory_path() / "viv-archive-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }

  // A member with any type letter; TarHeader itself only makes decent ones.
  static std::string Member(std::string name,
                            char type,
                            std::string link = "",
                            std::string data = "") {
    TarMember member{.name = std::move(name),
                     .type = static_cast<TarMember::Type>(type),
                     .size = data.size(),
                     .modified = 1'700'000'000,
                     .link = std::move(link)};
    std::string bytes = TarHeader(member) + data;
    return bytes + std::string(TarPadding(data.size()), '\0');
  }
  static std::string File(std::string name, std::string data = "x") {
    return Member(std::move(name), '0', "", std::move(data));
  }
  static std::string Ended(std::string members) { return members + std::string(1024, '\0'); }

  static std::string Zipped(std::string_view bytes, int level = 6) {
    z_stream zip{};
    EXPECT_EQ(deflateInit2(&zip, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&zip, bytes.size()) + 64, '\0');
    zip.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zip.avail_in = static_cast<uInt>(bytes.size());
    zip.next_out = reinterpret_cast<Bytef*>(out.data());
    zip.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&zip, Z_FINISH), Z_STREAM_END);
    out.resize(zip.total_out);
    deflateEnd(&zip);
    return out;
  }

  static UniqueFd Holding(std::string_view bytes) {
    UniqueFd file(::memfd_create("archive", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
  }
  Result<Unpacked> UnpackBytes(std::string_view bytes, UnpackLimits limits = {}) {
    const UniqueFd file = Holding(bytes);
    return Unpack(file.get(), folder_, limits);
  }
  // The sentence of the refusal; fails the test when there was none or the folder changed.
  std::string Refusal(std::string_view bytes, UnpackLimits limits = {}) {
    const auto before = Content();
    const auto done = UnpackBytes(bytes, limits);
    EXPECT_FALSE(done.has_value());
    EXPECT_EQ(Content(), before);
    return done ? "" : done.error().message;
  }

  std::string PackBytes(PackLimits limits = {}) {
    const UniqueFd file(::memfd_create("packed", MFD_CLOEXEC));
    reports_.clear();
    const Status packed = Pack(
        folder_, file.get(), [this](const std::string& report) { reports_.push_back(report); },
        limits);
    if (!packed) return "failed: " + packed.error().message;
    std::string bytes(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(::pread(file.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    return bytes;
  }

  std::string At(std::string_view path) const { return folder_ + "/" + std::string(path); }
  void Write(std::string_view path, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
    std::ofstream(At(path), std::ios::binary) << text;
  }
  std::string Read(std::string_view path) const {
    std::ifstream file(At(path), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // Path to content; "/" for a folder, "-> x" for a link.
  std::map<std::string, std::string> Content() const {
    namespace fs = std::filesystem;
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string path = entry.path().lexically_relative(folder_).string();
      if (entry.is_symlink()) {
        found[path] = "-> " + fs::read_symlink(entry.path()).string();
      } else {
        found[path] = entry.is_directory() ? "/" : Read(path);
      }
    }
    return found;
  }

  const std::string scratch_ = MakeScratch();
  const std::string folder_ = scratch_ + "/data";
  std::vector<std::string> reports_;
};

}  // namespace viv::tools
