#include "agent/dataplane/yamux_session.h"

#include <utility>
#include <vector>

namespace viv::agent {
namespace {

constexpr std::size_t kYamuxMessageBytesMax = 32 * 1024;

}  // namespace

YamuxSession::YamuxSession(OnStream on_stream) : on_stream_(std::move(on_stream)) {}

YamuxSession::~YamuxSession() {
  for (auto& [id, stream] : streams_) stream->Detach();
}

bool YamuxSession::Receive(std::string_view bytes) {
  if (ended_) return false;
  parser_.Feed(bytes);
  for (;;) {
    switch (parser_.Next()) {
      case YamuxParser::Step::kMore:
        return true;
      case YamuxParser::Step::kBroken:
        return Break(parser_.error());
      case YamuxParser::Step::kFrame:
        if (!HandleFrame(parser_.header())) return false;
        break;
      case YamuxParser::Step::kData:
        if (receiving_) receiving_->Receive(parser_.data());
        if (parser_.last_data()) HandleFlags(parser_.header());
        break;
    }
  }
}

bool YamuxSession::HandleFrame(const YamuxHeader& header) {
  switch (header.type) {
    case YamuxType::kPing:
      if ((header.flags & kYamuxSyn) != 0) Queue({YamuxType::kPing, kYamuxAck, 0, header.length});
      return true;
    case YamuxType::kGoAway:
      peer_goes_away_ = true;
      changed_.NotifyAll();
      return true;
    default:
      return HandleStreamFrame(header);
  }
}

bool YamuxSession::HandleStreamFrame(const YamuxHeader& header) {
  if ((header.flags & kYamuxSyn) != 0 && !OpenStream(header)) return false;
  receiving_ = Find(header.stream);
  // What comes for a stream that is over was under way when it ended.
  if (header.type == YamuxType::kWindowUpdate) {
    if (receiving_ && !receiving_->GrowSendWindow(header.length)) {
      return Break("a window grew beyond its limit");
    }
    HandleFlags(header);
    return true;
  }
  if (receiving_ && !receiving_->ChargeReceiveWindow(header.length)) {
    return Break("more data than the window of stream " + std::to_string(header.stream));
  }
  if (header.length == 0) HandleFlags(header);
  return true;
}

bool YamuxSession::OpenStream(const YamuxHeader& header) {
  if (header.stream % 2 == 0) return Break("a stream with an even number was opened");
  if (Find(header.stream)) return Break("a stream was opened twice");
  if (streams_.size() >= kStreamsMax || peer_goes_away_) {
    Queue({YamuxType::kWindowUpdate, kYamuxRst, header.stream, 0});
    return true;
  }
  auto stream = std::make_shared<YamuxStream>(*this, header.stream);
  streams_.emplace(header.stream, stream);
  Queue({YamuxType::kWindowUpdate, kYamuxAck, header.stream, 0});
  on_stream_(std::move(stream));
  return true;
}

// FIN and RST count once the frame's data has come.
void YamuxSession::HandleFlags(const YamuxHeader& header) {
  std::shared_ptr<YamuxStream> stream = std::exchange(receiving_, nullptr);
  if (!stream) return;
  if ((header.flags & kYamuxRst) != 0) {
    Remove(stream->id());
    stream->ResetSilently();
  } else if ((header.flags & kYamuxFin) != 0) {
    stream->PeerFinished();
  }
}

std::shared_ptr<YamuxStream> YamuxSession::Find(std::uint32_t id) const {
  auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void YamuxSession::Queue(const YamuxHeader& header, std::string_view data) {
  if (ended_) return;
  std::string frame = EncodeYamux(header);
  frame += data;
  output_bytes_ += frame.size();
  output_.push_back(std::move(frame));
  changed_.NotifyAll();
}

std::string YamuxSession::TakeOutput() {
  std::string message;
  bool was_full = is_full();
  while (!output_.empty() && message.size() + output_.front().size() <= kYamuxMessageBytesMax) {
    if (message.empty()) {
      message = std::move(output_.front());
    } else {
      message += output_.front();
    }
    output_.pop_front();
  }
  output_bytes_ -= message.size();
  if (was_full && !is_full()) {
    for (auto& [id, stream] : streams_) stream->changed_.NotifyAll();
  }
  if (!message.empty()) changed_.NotifyAll();
  return message;
}

void YamuxSession::Remove(std::uint32_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end()) return;
  std::shared_ptr<YamuxStream> stream = std::move(found->second);
  streams_.erase(found);
  stream->Detach();
  stream->changed_.NotifyAll();  // who waits to write would wait for ever
  changed_.NotifyAll();
}

void YamuxSession::Ping() {
  Queue({YamuxType::kPing, kYamuxSyn, 0, ++pings_});
}

void YamuxSession::ResetIdle(Notifier::Time silent_since) {
  std::vector<std::shared_ptr<YamuxStream>> silent;
  for (auto& [id, stream] : streams_) {
    if (stream->half_closed() && stream->last_use() < silent_since) silent.push_back(stream);
  }
  for (auto& stream : silent) stream->Reset();
}

void YamuxSession::End(std::uint32_t reason) {
  if (ended_) return;
  Queue({YamuxType::kGoAway, 0, 0, reason});
  ended_ = true;
  receiving_ = nullptr;
  auto streams = std::exchange(streams_, {});
  for (auto& [id, stream] : streams) {
    stream->Detach();
    stream->ResetSilently();
  }
  changed_.NotifyAll();
}

bool YamuxSession::Break(std::string error) {
  error_ = std::move(error);
  End(kYamuxProtocolError);
  return false;
}

}  // namespace viv::agent
