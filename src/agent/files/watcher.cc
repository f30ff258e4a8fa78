#include "agent/files/watcher.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "agent/files/entry_info.h"
#include "agent/files/filesystem_calls.h"
#include "agent/files/fs_user.h"
#include "agent/files/paths.h"
#include "agent/files/yield.h"

namespace viv::agent {
namespace {

constexpr std::size_t kWatchStepsPerBatch = 256;
constexpr std::size_t kWatchEventsMax = 4096;

std::string_view ChangeName(ChangeType type) {
  switch (type) {
    case ChangeType::kCreate:
      return "EVENT_TYPE_CREATE";
    case ChangeType::kRename:
      return "EVENT_TYPE_RENAME";
    case ChangeType::kChmod:
      return "EVENT_TYPE_CHMOD";
    case ChangeType::kWrite:
      return "EVENT_TYPE_WRITE";
    case ChangeType::kRemove:
      return "EVENT_TYPE_REMOVE";
  }
  return "EVENT_TYPE_UNSPECIFIED";
}

// NFS, CIFS, SMB, SMB2 and FUSE: others change them, and inotify does not see it.
bool IsNetworkMount(const struct statfs& mount) {
  auto type = static_cast<std::uint32_t>(mount.f_type);
  return type == 0x6969 || type == 0xFF534D42 || type == 0x517B || type == 0xFE534D42 ||
         type == 0x65735546;
}

// To be called as the user.
FileResult<InotifyTree> StartTree(const WatchRequest& wanted) {
  struct stat info {};
  const std::string& path = wanted.path;
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return FailFile(errno, "path " + path + " not found: stat " + path);
    return FailFile(errno, "error statting path " + path + ": stat " + path);
  }
  if (!S_ISDIR(info.st_mode)) return FailFileWith(EINVAL, "path " + path + " not a directory");
  struct statfs mount {};
  if (::statfs(path.c_str(), &mount) != 0) {
    return FailFile(errno, "error checking mount status: statfs " + path);
  }
  if (!wanted.allow_network_mounts && IsNetworkMount(mount)) {
    return FailFileWith(EINVAL, "cannot watch path on network filesystem: " + path);
  }
  auto depth = wanted.recursive ? InotifyTree::Depth::kRecursive : InotifyTree::Depth::kFolderOnly;
  ErrnoOr<InotifyTree> tree = InotifyTree::Create(path, depth);
  if (!tree) return FailFile(tree.error(), "error adding path " + path + " to watcher");
  return *std::move(tree);
}

std::string WatchFailure(int code) {
  if (code == EOVERFLOW) {
    return "watcher error: events were lost, since more happened than was read; watch again";
  }
  if (code == ENOSPC) {
    return "watcher error: too many folders to watch; watch a smaller one";
  }
  return "watcher error: " + ErrnoText(code);
}

}  // namespace

struct Watcher::Io {
  Io(const asio::any_io_executor& executor, int fd)
      : descriptor(executor, fd), changed(executor), kept(executor) {}
  // The tree owns the descriptor.
  ~Io() { descriptor.release(); }

  asio::posix::stream_descriptor descriptor;
  asio::steady_timer changed;  // cancelled when something can be taken
  asio::steady_timer kept;     // its waiter keeps the watcher alive
};

Watcher::Watcher(const Context& context,
                 WatchRequest wanted,
                 InotifyTree tree,
                 std::unique_ptr<Io> io)
    : context_(context), wanted_(std::move(wanted)), tree_(std::move(tree)), io_(std::move(io)) {}

Watcher::~Watcher() = default;

Task<connect::RpcResult<std::shared_ptr<Watcher>>> Watcher::Start(const Context& context,
                                                                  WatchRequest wanted) {
  FileResult<InotifyTree> tree =
      RunAsUserWithRootCapabilities(wanted.user, [&] { return StartTree(wanted); });
  if (!tree) co_return FileRpcError(tree.error());
  auto executor = co_await asio::this_coro::executor;
  auto io = std::make_unique<Io>(executor, tree->fd());
  std::shared_ptr<Watcher> watcher(
      new Watcher(context, std::move(wanted), *std::move(tree), std::move(io)));
  while (watcher->Advance()) co_await Yield();
  if (!watcher->failure_.empty()) {
    co_return connect::FailRpc(connect::Code::kResourceExhausted, watcher->failure_);
  }
  watcher->Arm();
  co_return watcher;
}

// One batch; whether there is more to do at once.
bool Watcher::Advance() {
  if (!failure_.empty() || events_.size() >= kWatchEventsMax) return false;
  std::vector<Change> changes;
  ErrnoOr<bool> more = RunAsUserWithRootCapabilities(
      wanted_.user, [&] { return tree_.Step(kWatchStepsPerBatch, changes); });
  Render(changes);
  if (!more) failure_ = WatchFailure(more.error());
  if (!failure_.empty() || !events_.empty()) io_->changed.cancel();
  return more.value_or(false);
}

void Watcher::Pump() {
  reading_ = false;
  bool more = Advance();
  if (!failure_.empty() || events_.size() >= kWatchEventsMax) return;  // Take goes on
  if (!more) {
    Arm();
    return;
  }
  reading_ = true;
  asio::post(io_->changed.get_executor(), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Pump();
  });
}

void Watcher::Arm() {
  reading_ = true;
  io_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                             [weak = weak_from_this()](boost::system::error_code error) {
                               auto self = weak.lock();
                               if (self && !error) self->Pump();
                             });
}

void Watcher::Render(const std::vector<Change>& changes) {
  OwnerNames names(context_.users);
  for (const Change& change : changes) {
    json::object event;
    event["name"] = ValidUtf8(change.name);
    event["type"] = ChangeName(change.type);
    bool gone = change.type == ChangeType::kRemove || change.type == ChangeType::kRename;
    if (wanted_.include_entry && !gone) {
      std::string path = change.name == "." ? wanted_.path : JoinPath(wanted_.path, change.name);
      ErrnoOr<Entry> entry =
          RunAsUserWithRootCapabilities(wanted_.user, [&] { return ReadEntry(path); });
      if (entry) event["entry"] = RenderEntry(*entry, names);
    }
    events_.push_back(std::move(event));
  }
}

Task<void> Watcher::Wait(std::chrono::milliseconds time_max) {
  if (!events_.empty() || !failure_.empty()) co_return;
  io_->changed.expires_after(time_max);
  auto [ended] = co_await io_->changed.async_wait(asio::as_tuple(asio::use_awaitable));
  static_cast<void>(ended);  // over, or woken: the queue tells
}

json::array Watcher::Take() {
  json::array taken;
  for (json::object& event : events_) taken.push_back(std::move(event));
  events_.clear();
  if (!reading_ && failure_.empty()) Pump();
  return taken;
}

void Watcher::KeepAlive() {
  io_->kept.expires_at(asio::steady_timer::time_point::max());
  io_->kept.async_wait([self = shared_from_this()](boost::system::error_code) {});
}

void Watcher::Release() {
  io_->kept.cancel();
}

}  // namespace viv::agent
