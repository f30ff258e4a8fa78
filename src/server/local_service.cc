#include "server/local_service.h"

#include <chrono>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/clock.h"
#include "server/budget_wiring.h"

namespace viv::server {
namespace {

constexpr std::chrono::minutes kBlobSweep{1};  // blobs count for accounts until they are gone

local::LocalSandboxes::OverlaysOf TreesIn(const local::WorkspaceLayers* layers) {
  if (layers == nullptr) return nullptr;
  return [layers](std::string_view profile) { return layers->Overlays(profile); };
}

}  // namespace

LocalService::LocalService(Parts parts, std::unique_ptr<blobs::BlobStore> store)
    : boxes_(parts.boxes.boxes()),
      pool_(parts.pool),
      sealer_(parts.secret),
      store_(std::move(store)),
      blobs_(*store_,
             parts.pool,
             [this](std::string_view message) { return sealer_.Sign("blob", message); }),
      local_(boxes_, parts.servers, TreesIn(parts.boxes.workspaces())),
      context_{local_, blobs_, parts.pool, parts.settings.public_url} {}

Result<std::unique_ptr<LocalService>> LocalService::Open(Parts parts) {
  ASSIGN_OR_RETURN(std::unique_ptr<blobs::BlobStore> store,
                   blobs::BlobStore::Open(parts.settings.data + "/blobs",
                                          BlobChargesBy(parts.budgets, parts.boxes.boxes())));
  return std::unique_ptr<LocalService>(new LocalService(parts, std::move(store)));
}

http::Router LocalService::Routes(const http::KeyLookup& keys) {
  return klavis::LocalRoutes(context_, keys);
}

Task<void> LocalService::SweepBlobs() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    auto sweep = [this] {
      store_->Sweep([this](std::string_view owner) { return boxes_.Find(owner).has_value(); },
                    NowMs() / 1000);
      return true;
    };
    co_await pool_.Run(sweep);
    timer.expires_after(kBlobSweep);
    auto [stopped] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (stopped) co_return;
  }
}

}  // namespace viv::server
