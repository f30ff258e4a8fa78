#include "tools/desktop_commander/lines.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

#include "base/errno_error.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kLineBytesKept = 1 << 20;
constexpr std::size_t kWindowBytesMax = 8 << 20;
constexpr std::int64_t kCountedBytesMax = 10 << 20;

// Gives each piece of the file until `take` says that it has enough.
Status ReadPieces(int fd,
                  const std::atomic<bool>& cancelled,
                  const std::function<bool(std::string_view)>& take) {
  std::vector<char> buffer(256 << 10);
  while (!cancelled) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(ErrorCode::kUnavailable, "read");
    if (count == 0 || !take({buffer.data(), static_cast<std::size_t>(count)})) return {};
  }
  return Fail(ErrorCode::kUnavailable, "cancelled");
}

// The lines from `offset` on, or the last ones.
class WindowFiller {
 public:
  WindowFiller(LineRange range, LineWindow& window) : range_(range), window_(window) {}

  bool Take(std::string&& line) {
    const std::int64_t number = next_++;
    if (range_.offset < 0) {
      Push(std::move(line));
      while (tail_.size() > static_cast<std::uint64_t>(-range_.offset)) Pop();
      while (bytes_ > kWindowBytesMax && tail_.size() > 1) Pop(), window_.cut = true;
      return true;
    }
    if (number >= range_.offset && !Full()) Push(std::move(line));
    return !Full();
  }

  bool Full() {
    if (range_.offset < 0) return false;
    if (bytes_ > kWindowBytesMax) window_.cut = true;
    return window_.cut || static_cast<std::int64_t>(tail_.size()) >= range_.length;
  }

  void End() {
    window_.lines.assign(std::make_move_iterator(tail_.begin()),
                         std::make_move_iterator(tail_.end()));
  }

 private:
  void Push(std::string&& line) {
    bytes_ += line.size() + 1;
    tail_.push_back(std::move(line));
  }
  void Pop() {
    bytes_ -= tail_.front().size() + 1;
    tail_.pop_front();
  }

  const LineRange range_;
  LineWindow& window_;
  std::deque<std::string> tail_;
  std::size_t bytes_ = 0;
  std::int64_t next_ = 0;
};

}  // namespace

bool LineSplitter::Emit() {
  std::string line;
  line.swap(line_);
  return take_(std::move(line));
}

bool LineSplitter::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t plain = std::min(bytes.find_first_of("\n\r\xa8\xa9"), bytes.size());
    line_ += bytes.substr(0, std::min(plain, kLineBytesKept - line_.size()));
    bytes.remove_prefix(plain);
    if (bytes.empty()) return true;
    const char c = bytes.front();
    bytes.remove_prefix(1);
    const bool separator = (c == '\xa8' || c == '\xa9') && line_.ends_with("\xe2\x80");
    if (separator) line_.resize(line_.size() - 2);
    after_cr_ = c == '\r';
    if (separator || c == '\n' || c == '\r') {
      if (!Emit()) return false;
    } else if (line_.size() < kLineBytesKept) {
      line_ += c;
    }
  }
  return true;
}

void LineSplitter::End() {
  if (!line_.empty()) Emit();
}

Result<LineWindow> ReadLines(int fd,
                             std::int64_t file_bytes,
                             LineRange range,
                             const std::atomic<bool>& cancelled) {
  LineWindow window;
  WindowFiller filler(range, window);
  LineSplitter cutter([&](std::string&& line) { return filler.Take(std::move(line)); });
  const bool counted = file_bytes < kCountedBytesMax;
  bool more = !filler.Full();
  std::int64_t feeds = 0;
  RETURN_IF_ERROR(ReadPieces(fd, cancelled, [&](std::string_view piece) {
    if (counted) feeds += std::ranges::count(piece, '\n');
    if (more) more = cutter.Feed(piece);
    return more || counted;
  }));
  if (more) cutter.End();
  filler.End();
  if (counted) window.total = feeds + 1;
  return window;
}

std::string RenderLines(const LineWindow& window, LineRange range) {
  const auto count = static_cast<std::int64_t>(window.lines.size());
  std::string text = "[Reading ";
  if (range.offset < 0) {
    text += "last " + std::to_string(count) + " lines";
    if (window.total) text += " (total: " + std::to_string(*window.total) + " lines)";
  } else {
    text += std::to_string(count) + " lines from " +
            (range.offset == 0 ? "start" : "line " + std::to_string(range.offset));
    if (window.total)
      text += " (total: " + std::to_string(*window.total) + " lines, " +
              std::to_string(std::max<std::int64_t>(0, *window.total - range.offset - count)) +
              " remaining)";
  }
  text += window.cut ? ", cut to 8 MiB]\n\n" : "]\n\n";
  std::string_view between;
  for (const std::string& line : window.lines) {
    (text += between) += line;
    between = "\n";
  }
  return text;
}

}  // namespace viv::tools::commander
