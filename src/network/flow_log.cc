#include "network/flow_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/errno_error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "network/flow_record.h"

namespace viv::network {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFlowFileBytesMax = 1 << 20;
constexpr std::size_t kFlowFileReadMax = 4 << 20;  // the server's own files are shorter
constexpr std::size_t kFlowBoxIdMax = 128;
constexpr std::size_t kFlowsPerBoxMax = 512;  // of those that are not written yet
constexpr std::size_t kFlowsPendingMax = 16'384;
constexpr std::size_t kFlowRemovedIdsMax = 1024;
constexpr auto kFlowBatchDelay = std::chrono::milliseconds(20);
constexpr std::string_view kFlowSuffix = ".jsonl", kFlowOldSuffix = ".jsonl.1";

bool IsFlowFileName(std::string_view id) {
  return !id.empty() && id.size() <= kFlowBoxIdMax &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_';
         });
}

// The records of one box that are not written yet.
struct PendingLines {
  std::vector<FlowRecord> records;
  std::uint64_t left_out = 0;
};
using PendingBoxes = std::map<std::string, PendingLines>;

std::string TextOf(const PendingLines& pending) {
  std::string text;
  for (const FlowRecord& record : pending.records) text += FlowLine(record);
  if (pending.left_out == 0) return text;
  FlowRecord rest;
  rest.at_us = NowMicros();
  rest.reason = std::to_string(pending.left_out) + " more were left out: too many at once";
  return text + FlowLine(rest);
}

std::string ReadFlowFile(int folder, const std::string& name) {
  std::string text;
  UniqueFd fd(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  char buffer[65536];
  while (fd && text.size() < kFlowFileReadMax) {
    ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

class FlowFiles final : public FlowLog {
 public:
  FlowFiles(std::string path, UniqueFd folder)
      : path_(std::move(path)), folder_(std::move(folder)), thread_([this] { RunWriter(); }) {}

  ~FlowFiles() override {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void Append(const std::string& box_id, const FlowRecord& record) override {
    if (!IsFlowFileName(box_id)) return;
    FlowRecord kept = TruncatedRecord(record);
    std::lock_guard lock(mutex_);
    if (removed_.contains(box_id)) return;
    PendingLines& pending = pending_[box_id];
    if (pending.records.size() >= kFlowsPerBoxMax || pending_count_ >= kFlowsPendingMax) {
      ++pending.left_out;
      return;
    }
    pending.records.push_back(std::move(kept));
    if (++pending_count_ == 1) wake_.notify_all();
  }

  std::vector<json::object> Read(const std::string& box_id, std::size_t limit) const override {
    std::vector<json::object> records;
    if (!IsFlowFileName(box_id) || limit == 0) return records;
    Flush();
    std::string text;
    {
      std::lock_guard lock(files_mutex_);
      text = ReadFlowFile(folder_.get(), box_id + std::string(kFlowOldSuffix)) +
             ReadFlowFile(folder_.get(), box_id + std::string(kFlowSuffix));
    }
    auto lines = Split(text, '\n');
    for (auto line = lines.rbegin(); line != lines.rend() && records.size() < limit; ++line) {
      if (line->empty()) continue;
      auto parsed = ParseJson(*line);  // an incomplete or foreign line is skipped
      if (parsed && parsed->is_object()) records.push_back(std::move(parsed->as_object()));
    }
    std::reverse(records.begin(), records.end());
    return records;
  }

  void Remove(const std::string& box_id) override {
    if (!IsFlowFileName(box_id)) return;
    {
      std::lock_guard lock(mutex_);
      if (removed_.insert(box_id).second) removed_order_.push_back(box_id);
      if (removed_order_.size() > kFlowRemovedIdsMax) {
        removed_.erase(removed_order_.front());
        removed_order_.pop_front();
      }
    }
    Flush();
    std::lock_guard lock(files_mutex_);
    for (std::string_view suffix : {kFlowSuffix, kFlowOldSuffix})
      unlinkat(folder_.get(), (box_id + std::string(suffix)).c_str(), 0);
  }

  void KeepOnly(const std::set<std::string>& box_ids) override {
    std::lock_guard lock(files_mutex_);
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
      std::string name = entry.path().filename();
      for (std::string_view suffix : {kFlowSuffix, kFlowOldSuffix}) {
        if (!name.ends_with(suffix)) continue;
        if (!box_ids.contains(name.substr(0, name.size() - suffix.size())))
          unlinkat(folder_.get(), name.c_str(), 0);
      }
    }
  }

 private:
  // Waits until all appended records are written.
  void Flush() const {
    std::unique_lock lock(mutex_);
    // The batch that is being written now, and the next one.
    std::uint64_t wanted = batches_written_ + (writing_ ? 1 : 0) + (pending_.empty() ? 0 : 1);
    if (wanted == batches_written_) return;
    flush_requested_ = true;
    wake_.notify_all();
    done_.wait(lock, [&] { return batches_written_ >= wanted; });
  }

  void RunWriter() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
      if (pending_.empty()) return;
      // Records that arrive close together are written together.
      wake_.wait_for(lock, kFlowBatchDelay, [this] { return stopping_ || flush_requested_; });
      flush_requested_ = false;
      PendingBoxes batch;
      batch.swap(pending_);
      pending_count_ = 0;
      writing_ = true;
      lock.unlock();
      for (const auto& [box_id, lines] : batch) Write(box_id, TextOf(lines));
      lock.lock();
      writing_ = false;
      ++batches_written_;
      done_.notify_all();
    }
  }

  void Write(const std::string& box_id, const std::string& text) {
    std::lock_guard lock(files_mutex_);
    std::string name = box_id + std::string(kFlowSuffix);
    Rotate(name, box_id + std::string(kFlowOldSuffix));
    UniqueFd fd(openat(folder_.get(), name.c_str(),
                       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    // One write, so that lines stay complete. What does not fit on a full disk is lost.
    ssize_t put = fd ? write(fd.get(), text.data(), text.size()) : -1;
    bool failed = put != static_cast<ssize_t>(text.size());
    if (failed && !failing_)
      log::Warn("network.flow_log_failed", {{"box", box_id}, {"error", ErrnoMessage(errno)}});
    failing_ = failed;
  }

  void Rotate(const std::string& name, const std::string& old_name) {
    struct stat found {};
    if (fstatat(folder_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (found.st_size < kFlowFileBytesMax) return;
    renameat(folder_.get(), name.c_str(), folder_.get(), old_name.c_str());
  }

  const std::string path_;
  const UniqueFd folder_;

  mutable std::mutex mutex_;
  mutable std::condition_variable wake_, done_;
  PendingBoxes pending_;
  std::size_t pending_count_ = 0;
  std::uint64_t batches_written_ = 0;
  bool writing_ = false, stopping_ = false;
  mutable bool flush_requested_ = false;
  std::set<std::string> removed_;  // removed recently; their last flows may still end
  std::deque<std::string> removed_order_;

  mutable std::mutex files_mutex_;  // never held together with the other
  bool failing_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<FlowLog>> FlowLog::Open(std::string folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return Fail(ErrorCode::kInternal,
                "make the flow log's folder " + folder + ": " + error.message());
  UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || fchmod(fd.get(), 0700) != 0)
    return FailErrno(ErrorCode::kInternal, "open the flow log's folder " + folder);
  return std::make_unique<FlowFiles>(std::move(folder), std::move(fd));
}

}  // namespace viv::network
