#include "http/dial.h"

#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "http/await_tuple.h"

namespace viv::http {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

Status CheckAddresses(const std::string& host,
                      const std::vector<tcp::endpoint>& endpoints,
                      const AddressCheck& check) {
  if (!check) return {};
  for (const tcp::endpoint& endpoint : endpoints) {
    const std::string address = endpoint.address().to_string();
    Status checked = check(address, endpoint.port());
    if (!checked && host == address) return PassUp(std::move(checked).error());
    if (!checked) return PassUp(std::move(checked).error(), Printable(host));
  }
  return {};
}

Task<Result<UniqueFd>> DialUrl(Url url, DialOptions options) {
  auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  tcp::socket socket(executor);
  asio::steady_timer timer(executor, options.timeout);
  timer.async_wait([&resolver, &socket](error_code cancelled) {
    if (cancelled) return;
    resolver.cancel();
    socket.close(cancelled);
  });
  auto [unresolved, found] = co_await resolver.async_resolve(url.host, url.port, kTuple);
  if (unresolved) {
    co_return Fail(ErrorCode::kUnavailable, "resolve " + url.host + ": " + unresolved.message());
  }
  // Resolving cannot be broken off: whoever asked may have left meanwhile.
  if (options.is_abandoned && options.is_abandoned()) {
    co_return Fail(ErrorCode::kUnavailable, "nobody waits for the answer any more");
  }
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  CO_RETURN_IF_ERROR(CheckAddresses(url.host, endpoints, options.check_address));
  auto [refused, endpoint] = co_await asio::async_connect(socket, endpoints, kTuple);
  bool in_time = timer.cancel() > 0;
  if (refused || !in_time) {
    std::string why = in_time ? refused.message() : "it took too long";
    co_return Fail(ErrorCode::kUnavailable, "connect to " + url.authority + ": " + why);
  }
  co_return UniqueFd(socket.release());
}

}  // namespace viv::http
