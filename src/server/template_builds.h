#pragma once
// Building templates through a running server: POST /api/viv/templates answers with a line of JSON
// per line of progress, and a last one with the template or the error. For the default account
// only: it is the operator's, and a source names files of this machine. A build continues when its
// client disconnects.

#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "accounts/budgets.h"
#include "http/middleware/auth.h"
#include "http/route_table.h"
#include "http/router.h"
#include "templates/templates.h"

namespace viv::server {

class TemplateBuilds {
 public:
  TemplateBuilds(templates::Templates& templates, accounts::Budgets& budgets)
      : templates_(templates), budgets_(budgets) {}
  ~TemplateBuilds();  // waits for what is being built

  void AddTo(http::Router& router, const http::KeyLookup& keys);
  // The same routes on a server without boxes.
  static void AddUnavailableTo(http::Router& router, const http::Handler& refuse);

 private:
  struct Build;
  struct Request;

  static http::RouteTable<TemplateBuilds> Table();
  Task<http::Response> Start(http::Request& request);
  Task<http::Response> Remove(http::Request& request);
  Result<templates::Template> Run(const Request& request, const templates::Progress& progress);

  templates::Templates& templates_;
  accounts::Budgets& budgets_;
  std::mutex mutex_;  // guards the one below
  std::list<std::jthread> threads_;
};

}  // namespace viv::server
