// Bodies that are read when the handler asks for them.

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/steady_timer.hpp>

#include "http/await_tuple.h"
#include "http/connection.h"
#include "http/deferred_body.h"
#include "http/json_values.h"

namespace viv::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBytesPerValue = 32;      // of the parsed form, beside the text itself
constexpr std::size_t kChargeStep = 256 << 10;  // a piece of a body of unknown length
constexpr std::size_t kBytesPerSecondMin = 32 << 10;
constexpr std::chrono::milliseconds kBudgetPause{20};

}  // namespace

Task<std::optional<Response>> LoadBody(Request& request, BodyLimits limits) {
  if (request.deferred_body == nullptr) co_return std::nullopt;
  DeferredBody& pending = *std::exchange(request.deferred_body, nullptr);
  co_return co_await pending.Load(std::move(limits));
}

Task<std::optional<Response>> Connection::Load(BodyLimits limits) {
  Request& request = parser_.request();
  const std::size_t bytes_max = std::min(limits.bytes_max, context_.options.body_bytes_max);
  const std::size_t promised = parser_.body_bytes_left().value_or(0);
  if (promised > bytes_max) co_return context_.errors(413, "request body too large", request);
  if (limits.owner.empty()) limits.owner = request.identity.account_id;
  const Clock::time_point began = Clock::now();
  JsonValueCount values;
  std::string whole;
  for (;;) {
    const std::size_t text_bytes = promised > 0 ? promised : whole.size() + kChargeStep;
    std::optional<Response> refusal =
        co_await ChargeBody(limits.owner, text_bytes + values.count() * kBytesPerValue);
    if (refusal) co_return refusal;
    whole.reserve(promised);  // the budget is charged for it
    Result<std::string> piece = co_await body_->Read();
    if (!piece) co_return BodyError(piece.error());
    if (piece->empty()) break;
    values.Feed(*piece);
    if (piece->size() > bytes_max - whole.size())
      co_return context_.errors(413, "request body too large", request);
    if (values.count() > limits.values_max)
      co_return context_.errors(413, "the request body has too many values", request);
    whole += *piece;
    const auto slowest = std::chrono::seconds(whole.size() / kBytesPerSecondMin);
    if (Clock::now() - began > context_.options.body_timeout + slowest)
      co_return context_.errors(408, "the request took too long to arrive", request);
  }
  request.body = std::move(whole);
  body_.reset();  // the whole body is read: from here on the request is like any other
  co_return std::nullopt;
}

// Raises this request's charge, and waits for other requests to release memory if need be.
Task<std::optional<Response>> Connection::ChargeBody(std::string owner, std::size_t bytes) {
  BodyBudget& budget = context_.bodies;
  if (bytes > budget.owner_bytes_max())
    co_return context_.errors(413, "request body too large", parser_.request());
  if (budget.Raise(charge_, owner, bytes)) co_return std::nullopt;
  BodyBudget::Waiter waiter(budget);
  asio::steady_timer timer(transport_->executor());
  const Clock::time_point end = Clock::now() + context_.options.body_budget_timeout;
  while (waiter.may_wait() && Clock::now() < end && !IsClosed()) {
    timer.expires_after(kBudgetPause);
    co_await timer.async_wait(kTuple);
    if (budget.Raise(charge_, owner, bytes)) co_return std::nullopt;
  }
  Response busy =
      context_.errors(503, "the server is reading as many requests as it has memory for: try again",
                      parser_.request());
  busy.headers.Set("Retry-After", "1");
  co_return busy;
}

Response Connection::BodyError(const Error& error) {
  if (error.code == ErrorCode::kInvalidArgument)
    return context_.errors(400, "malformed request", parser_.request());
  return context_.errors(408, "the request took too long to arrive", parser_.request());
}

}  // namespace viv::http
