#include "agent/files/files.h"

#include <utility>

#include "agent/files/compose.h"
#include "agent/files/download.h"
#include "agent/files/filesystem_calls.h"
#include "agent/files/upload.h"
#include "agent/files/watch_calls.h"

namespace viv::agent {
namespace {

constexpr std::string_view kFilesystemService = "filesystem.Filesystem";

}  // namespace

class Files::Impl {
 public:
  explicit Impl(Context& context) : context_(context), watching_(context) {}

  void AddEndpoints(http::Router& router) {
    router.Add("GET", "/files",
               [this](http::Request& request) { return DownloadFile(context_, request); });
    router.Add("POST", "/files",
               [this](http::Request& request) { return UploadFiles(context_, request); });
    router.Add("POST", "/files/compose",
               [this](http::Request& request) { return ComposeFiles(context_, request); });
  }

  void AddService(http::Router& router, const connect::Schema& schema) {
    AddCall(router, schema, "Stat", StatFile);
    AddCall(router, schema, "MakeDir", MakeDirectory);
    AddCall(router, schema, "Move", MoveFile);
    AddCall(router, schema, "ListDir", ListDirectory);
    AddCall(router, schema, "Remove", RemoveFile);
    using connect::Call;
    connect::AddServerStream(
        router, schema, kFilesystemService, "WatchDir",
        [this](const Call& call, json::object in, connect::MessageWriter& writer) {
          return watching_.WatchDir(call, std::move(in), writer);
        });
    connect::AddUnary(router, schema, kFilesystemService, "CreateWatcher",
                      [this](const Call& call, json::object in) {
                        return watching_.CreateWatcher(call.request, std::move(in));
                      });
    connect::AddUnary(
        router, schema, kFilesystemService, "GetWatcherEvents",
        [this](const Call&, json::object in) { return watching_.GetWatcherEvents(std::move(in)); });
    connect::AddUnary(
        router, schema, kFilesystemService, "RemoveWatcher",
        [this](const Call&, json::object in) { return watching_.RemoveWatcher(std::move(in)); });
  }

 private:
  using FileCall = Task<FileRpcResult> (*)(const Context&, const http::Request&, json::object);

  void AddCall(http::Router& router,
               const connect::Schema& schema,
               std::string_view method,
               FileCall function) {
    connect::AddUnary(router, schema, kFilesystemService, method,
                      [this, function](const connect::Call& call, json::object in) {
                        return function(context_, call.request, std::move(in));
                      });
  }

  Context& context_;
  WatchCalls watching_;
};

Files::Files(Context& context) : impl_(std::make_unique<Impl>(context)) {}
Files::~Files() = default;

void Files::AddTo(http::Router& router, const connect::Schema& schema) {
  impl_->AddEndpoints(router);
  impl_->AddService(router, schema);
}

}  // namespace viv::agent
