#pragma once
// Reads some lines of a file that may be of any size: only what is asked for is kept, and of that
// no more than an answer can hold.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::tools::commander {

// Cuts a stream of bytes into lines as Node's readline does: LF, CR, CRLF, U+2028 and U+2029 end
// one. A line longer than a megabyte loses its rest.
class LineSplitter {
 public:
  using Take = std::function<bool(std::string&&)>;  // false: no more

  explicit LineSplitter(Take take) : take_(std::move(take)) {}
  bool Feed(std::string_view bytes);  // false once enough was taken
  void End();

 private:
  bool Emit();

  Take take_;
  std::string line_;
  bool after_cr_ = false;
};

struct LineRange {
  std::int64_t offset = 0;  // the first line from 0; negative: that many from the end
  std::int64_t length = 1000;
};

struct LineWindow {
  std::vector<std::string> lines;
  std::optional<std::int64_t> total;  // by line feeds; not counted in large files
  bool cut = false;                   // more was asked for than an answer holds
};

Result<LineWindow> ReadLines(int fd,
                             std::int64_t file_bytes,
                             LineRange range,
                             const std::atomic<bool>& cancelled);

// The window under its header: "[Reading 2 lines from start (total: 3 lines, 1 remaining)]".
std::string RenderLines(const LineWindow& window, LineRange range);

}  // namespace viv::tools::commander
