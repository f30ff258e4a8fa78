#include "server/maintenance.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/task_group.h"

namespace viv::server {
namespace {

constexpr std::chrono::seconds kWorldMaintenanceInterval{1};
constexpr std::chrono::milliseconds kBoxMaintenanceInterval{100};
constexpr std::chrono::milliseconds kStreamCheckInterval{100};

Task<void> RunBoxMaintenance(boxes::BoxManager& boxes) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kBoxMaintenanceInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    co_await boxes.RunMaintenance();
  }
}

Task<void> RunWorldMaintenance(worlds::Sandboxes& sandboxes, engine::Catalogue& catalogue) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kWorldMaintenanceInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    co_await sandboxes.ReleaseExpired();
    for (const auto& load_error : catalogue.Refresh()) {
      log::Error("app.not_loaded", {{"app", load_error.app}, {"error", load_error.message}});
    }
  }
}

Task<void> EndOrphanedStreams(mcp::Routes& routes) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(kStreamCheckInterval);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
    routes.EndOrphanedStreams();
  }
}

}  // namespace

// An io_context with one thread.
class Maintenance::BackgroundThread {
 public:
  BackgroundThread() : work_(asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {}
  ~BackgroundThread() {
    asio::post(io_, [this] { tasks_.reset(); });
    work_.reset();
    thread_.join();
  }
  void Spawn(std::string name, Task<void> task) {
    asio::post(io_, [this, name = std::move(name),
                     task = std::make_shared<Task<void>>(std::move(task))]() mutable {
      tasks_->Spawn(std::move(name), std::move(*task));
    });
  }

 private:
  asio::io_context io_;
  std::unique_ptr<TaskGroup> tasks_ = std::make_unique<TaskGroup>(io_.get_executor());
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

Maintenance::Maintenance(Components& components, ServerRoutes& routes)
    : thread_(std::make_unique<BackgroundThread>()) {
  thread_->Spawn("worlds", RunWorldMaintenance(*components.sandboxes, *components.catalogue));
  thread_->Spawn("streams", EndOrphanedStreams(routes.mcp()));
  if (components.boxes == nullptr) return;
  thread_->Spawn("boxes", RunBoxMaintenance(components.boxes->boxes()));
  thread_->Spawn("runs", routes.box_dialects()->ExecuteRuns());
  thread_->Spawn("blobs", routes.local_sandboxes()->SweepBlobs());
}

Maintenance::~Maintenance() = default;

}  // namespace viv::server
