#include "base/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace viv {
namespace {

TEST(VersionTest, IsTheProjects) {
  std::ifstream file(VIV_SOURCE_DIR "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(Version().empty());
  EXPECT_NE(text.str().find("project(viv VERSION " + std::string(Version()) + " "),
            std::string::npos)
      << Version();
}

}  // namespace
}  // namespace viv
