#include "tools/excel/excel.h"

#include <gtest/gtest.h>

namespace viv::tools {
namespace {

TEST(ExcelTest, EveryToolHasAHandler) {
  EXPECT_TRUE(MakeExcel(tools::ToolServerOptions{})->Unbound().empty());
}

}  // namespace
}  // namespace viv::tools
