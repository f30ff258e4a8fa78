#include "agent/dataplane/execute_socket.h"

#include <csignal>
#include <deque>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include "agent/dataplane/command_reader.h"
#include "agent/dataplane/execute_frames.h"

namespace viv::agent {
namespace {

using SocketClock = std::chrono::steady_clock;

constexpr int kCloseNormal = 1000;
constexpr int kCloseGoingAway = 1001;                  // clients reattach at once
constexpr std::size_t kPendingErrorsMax = 16;          // of a client that does not listen
constexpr std::chrono::seconds kLastFrames{5};         // of a client that no longer listens
constexpr std::chrono::seconds kSocketKillTimeout{5};  // of a killed command with its end

// One client's conversation about one command.
class SocketSession {
 public:
  SocketSession(http::WebSocket& socket, AttachedCommand attached)
      : socket_(socket),
        command_(attached.command),
        attachment_(attached.command),
        reader_(attached.command, attached.offsets) {
    command_->ReadWithoutAcknowledgement();
  }

  Task<void> Run() {
    using asio::experimental::awaitable_operators::operator||;
    Task<void> reading = ReadFrames();
    Task<void> sending = SendOutput();
    co_await (std::move(reading) || std::move(sending));
  }

 private:
  // Takes the client's frames until it is gone.
  Task<void> ReadFrames() {
    for (;;) {
      Result<http::WebSocket::Message> message = co_await socket_.Read();
      if (!message) co_return;
      Result<ClientFrame> frame = ReadClientFrame(message->data);
      if (!frame) {
        SendError(CommandError(frame.error().message));
      } else if (frame->type == ClientFrame::Type::kInput) {
        co_await TakeInput(std::move(frame->data));
      } else {
        HandleFrame(*frame);
      }
      if (errors_.size() > kPendingErrorsMax) co_return;
    }
  }

  void HandleFrame(const ClientFrame& frame) {
    switch (frame.type) {
      case ClientFrame::Type::kKill:
        (void)command_->Signal(SIGKILL);
        break;
      case ClientFrame::Type::kCloseStdin:
        command_->QueueInputEnd();
        break;
      case ClientFrame::Type::kResize:
        if (auto resized = command_->Resize(frame.size); !resized && !command_->ended()) {
          SendError(CommandError(resized.error().message));
        }
        break;
      case ClientFrame::Type::kInput:
      case ClientFrame::Type::kIgnored:
        break;
    }
  }

  Task<void> TakeInput(std::string data) {
    bool room = co_await command_->WaitForInputRoom();
    if (!room) {
      SendError(CommandError("the command does not read its input, and too much of it waits"));
      co_return;
    }
    if (command_->QueueInput(std::move(data)) == Command::InputTaken::kClosed &&
        !command_->ended()) {
      SendError(CommandError("stdin of the command is closed"));
    }
  }

  void SendError(const CommandFailure& failure) {
    errors_.push_back(ErrorFrame(failure));
    command_->changed().NotifyAll();
  }

  // Tells the client everything up to the end.
  Task<void> SendOutput() {
    std::string frame = StartedFrame(*command_);
    std::optional<Command::Time> given_up_at;
    for (;;) {
      bool told = co_await Write(std::move(frame));
      if (!told) co_return;
      for (;;) {
        if (!errors_.empty()) {
          frame = std::move(errors_.front());
          errors_.pop_front();
          break;
        }
        if (reader_.lost()) co_return co_await CloseSlowReader();
        if (auto piece = reader_.NextText()) {
          frame = OutputFrame(*piece);
          break;
        }
        if (command_->timed_out() && !given_up_at) {
          given_up_at = SocketClock::now() + kSocketKillTimeout;
        }
        bool given_up = given_up_at && SocketClock::now() >= *given_up_at;
        if (command_->ended() || given_up) co_return co_await SendEnd();
        Command::Time until = given_up_at.value_or(Command::Time::max());
        co_await command_->changed().WaitUntil(until);
      }
    }
  }

  Task<void> SendEnd() {
    CommandFailure timeout{"CommandTimeout", command_->TimeoutText()};
    std::string frame = command_->timed_out() ? ErrorFrame(timeout) : ExitFrame(*command_);
    bool told = co_await Write(std::move(frame));
    if (!told) co_return;
    co_await socket_.Close(kCloseNormal, "");
  }

  Task<void> CloseSlowReader() {
    co_await socket_.Close(kCloseGoingAway, "too slow: reconnect from the last offset");
  }

  // False when the client has closed the socket. Frames that it sent before are still handled: the
  // last one may be a kill.
  Task<bool> Write(std::string frame) {
    http::WebSocket::Message message{true, std::move(frame)};
    Status written = co_await socket_.Write(std::move(message));
    if (written) co_return true;
    Command::Time until = SocketClock::now() + kLastFrames;
    co_await gone_.WaitUntil(until);
    co_return false;
  }

  http::WebSocket& socket_;
  const std::shared_ptr<Command> command_;
  Command::Attachment attachment_;
  CommandReader reader_;
  std::deque<std::string> errors_;
  Notifier gone_;
};

CommandResult<AttachedCommand> OpenSession(CommandService& service,
                                           std::string_view text,
                                           asio::any_io_executor executor) {
  Result<FirstFrame> frame = ReadFirstFrame(text);
  if (!frame) return tl::unexpected(CommandError(frame.error().message));
  CommandResult<std::shared_ptr<Command>> command =
      frame->reconnects ? service.Find(frame->request.id)
                        : service.GetOrStart(std::move(frame->request), std::move(executor));
  if (!command) return tl::unexpected(std::move(command).error());
  if ((*command)->attached() >= Command::kAttachedMax) {
    return tl::unexpected(CommandError("too many clients are attached to this command"));
  }
  return AttachedCommand{*std::move(command), frame->offsets};
}

}  // namespace

Task<void> ServeExecuteSocket(CommandService& service, http::WebSocket& socket) {
  auto executor = co_await asio::this_coro::executor;
  Result<http::WebSocket::Message> first = co_await socket.Read();
  if (!first) co_return;
  CommandResult<AttachedCommand> attached = OpenSession(service, first->data, executor);
  if (!attached) {
    http::WebSocket::Message message{true, ErrorFrame(attached.error())};
    (void)co_await socket.Write(std::move(message));
    co_await socket.Close(kCloseNormal, "");
    co_return;
  }
  SocketSession session(socket, *std::move(attached));
  co_await session.Run();
}

}  // namespace viv::agent
