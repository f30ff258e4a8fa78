#pragma once
// Routes as data: a module lists its operations in tables. The same table gives the routes of a
// server that can serve them, and those of a server that answers each of them with one error.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "http/message.h"
#include "http/router.h"

namespace viv::http {

// `Subject` is what the operation works on: a dialect's context.
template <typename Subject>
struct RouteEntry {
  std::string_view method;
  std::string_view pattern;
  Task<Response> (*operation)(Subject& subject, Request& request);
};

template <typename Subject>
using RouteTable = std::span<const RouteEntry<Subject>>;

// Adds every route of `table`, each behind `middleware` when there is one. The handlers share the
// subject.
template <typename Subject>
void AddRoutes(Router& router,
               RouteTable<Subject> table,
               std::shared_ptr<Subject> subject,
               const Middleware& middleware = {}) {
  for (const RouteEntry<Subject>& route : table) {
    Handler handler = [subject, operation = route.operation](Request& request) {
      return operation(*subject, request);
    };
    if (middleware) handler = middleware(std::move(handler));
    router.Add(route.method, route.pattern, std::move(handler));
  }
}

// The same with a subject that outlives the router.
template <typename Subject>
void AddRoutes(Router& router,
               RouteTable<Subject> table,
               Subject& subject,
               const Middleware& middleware = {}) {
  AddRoutes(router, table, std::shared_ptr<Subject>(std::shared_ptr<void>(), &subject), middleware);
}

// Adds every route of `table`; `handler` serves all of them, whatever their operations are.
template <typename Subject>
void AddRoutesServedBy(Router& router, RouteTable<Subject> table, const Handler& handler) {
  for (const RouteEntry<Subject>& route : table) router.Add(route.method, route.pattern, handler);
}

// A handler that answers every request with the same error, in the shape of `render`.
Handler AlwaysError(int status, std::string message, ErrorRenderer render);

}  // namespace viv::http
