// Any bytes that a guest sends over HTTP/2 end in answers, resets or the end of the connection:
// every exchange comes to an end, and the session with it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "fuzz_target.h"
#include "gateway/http/connections.h"

namespace {

using namespace viv;

// Gives the bytes in pieces of an odd size, then their end; what is written to it is forgotten.
class BytesTransport : public http::Transport {
 public:
  BytesTransport(asio::io_context& io, std::string_view bytes) : io_(io), bytes_(bytes) {}

  asio::any_io_executor executor() override { return io_.get_executor(); }
  bool secure() const override { return true; }
  Task<bool> Handshake() override { co_return true; }
  Task<std::size_t> Read(char* into, std::size_t size) override {
    std::size_t count = std::min({size, bytes_.size(), std::size_t{701}});
    std::memcpy(into, bytes_.data(), count);
    bytes_.remove_prefix(count);
    co_return count;
  }
  std::size_t TryWrite(const Pieces& pieces) override {
    return pieces[0].size() + pieces[1].size() + pieces[2].size();
  }
  Task<bool> Write(Pieces, std::size_t, Duration) override { co_return true; }
  Task<void> Shutdown(Linger) override { co_return; }
  bool PeerHungUp(HangUp) override { return false; }
  bool HasUnread() override { return false; }
  void Cancel() override {}
  void CloseWrite() override {}
  void Close() override {}
  void Reset() override {}

 private:
  asio::io_context& io_;
  std::string_view bytes_;
};

Task<void> Echo(std::shared_ptr<gateway::GuestExchange> exchange) {
  CHECK(!exchange->head().authority.empty() &&
        exchange->head().target.find(' ') == std::string::npos);
  gateway::ResponseHead head;
  head.status = 200;
  head.has_body = true;
  Status sent = co_await exchange->SendHead(std::move(head));
  while (sent) {
    Result<std::string> piece = co_await exchange->ReadBody();
    if (!piece || piece->empty()) break;
    sent = co_await exchange->SendBody(*std::move(piece));
  }
  http::Headers trailers = exchange->trailers();
  if (sent) sent = co_await exchange->Finish(std::move(trailers));
}

}  // namespace

FUZZ_TARGET(http2_session)(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kBegin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", 33);
  asio::io_context io(1);
  BytesTransport guest(io, {reinterpret_cast<const char*>(data), size});
  bool ended = false;
  asio::co_spawn(io, gateway::ServeHttp2(guest, std::string(kBegin), Echo),
                 [&](std::exception_ptr failure) { ended = failure == nullptr; });
  io.run();
  CHECK(ended);
  return 0;
}
