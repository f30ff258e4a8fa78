#include "agent/dataplane/command_reader.h"

#include <algorithm>

#include "agent/dataplane/utf8_prefix.h"

namespace viv::agent {
namespace {

constexpr std::size_t kPieceBytesMax = 64 * 1024;

CommandStream OtherStream(CommandStream stream) {
  return stream == CommandStream::kStdout ? CommandStream::kStderr : CommandStream::kStdout;
}

}  // namespace

CommandReader::CommandReader(std::shared_ptr<Command> command, CommandOffsets offsets)
    : command_(std::move(command)), offsets_(offsets), moved_at_(std::chrono::steady_clock::now()) {
  for (CommandStream stream : kCommandStreams) {
    const ByteLog& log = command_->output(stream);
    std::uint64_t& offset = offsets_[IndexOf(stream)];
    offset = std::clamp(offset, log.begin(), log.end());
  }
  command_->readers_.push_back(this);
}

CommandReader::~CommandReader() {
  std::erase(command_->readers_, this);
  command_->ResumeReading();
}

bool CommandReader::lost() const {
  return std::any_of(kCommandStreams.begin(), kCommandStreams.end(), [this](CommandStream stream) {
    return offsets_[IndexOf(stream)] < command_->output(stream).begin();
  });
}

bool CommandReader::has_more(CommandStream stream) const {
  return offsets_[IndexOf(stream)] < command_->output(stream).end();
}

bool CommandReader::at_end(CommandStream stream) const {
  return command_->output(stream).closed() && !has_more(stream);
}

// The one whose next byte came first; either when neither has any.
CommandStream CommandReader::EarlierStream() const {
  if (!has_more(CommandStream::kStdout)) return CommandStream::kStderr;
  if (!has_more(CommandStream::kStderr)) return CommandStream::kStdout;
  std::uint64_t out = command_->output(CommandStream::kStdout).SequenceAt(offsets_[0]);
  std::uint64_t error = command_->output(CommandStream::kStderr).SequenceAt(offsets_[1]);
  return out <= error ? CommandStream::kStdout : CommandStream::kStderr;
}

void CommandReader::Move(CommandStream stream, std::size_t bytes) {
  offsets_[IndexOf(stream)] += bytes;
  moved_at_ = std::chrono::steady_clock::now();
  command_->ResumeReading();
}

std::optional<CommandReader::Piece> CommandReader::TextOf(CommandStream stream) {
  const ByteLog& log = command_->output(stream);
  std::uint64_t offset = offsets_[IndexOf(stream)];
  // A character that two runs share is found by reading on.
  for (ByteLog::ReadExtent reach :
       {ByteLog::ReadExtent::kSameSequence, ByteLog::ReadExtent::kAll}) {
    std::string bytes = log.Read(offset, kPieceBytesMax, reach);
    bool last = log.closed() && offset + bytes.size() == log.end();
    Utf8Prefix cut = TakeUtf8Prefix(bytes, last ? MoreBytes::kNone : MoreBytes::kMayFollow);
    if (cut.bytes == 0) continue;
    Move(stream, cut.bytes);
    return Piece{stream, offset, std::move(cut.text)};
  }
  return std::nullopt;
}

std::optional<CommandReader::Piece> CommandReader::NextText() {
  if (lost()) return std::nullopt;
  CommandStream first = EarlierStream();
  if (auto piece = TextOf(first)) return piece;
  return TextOf(OtherStream(first));
}

std::optional<CommandReader::Piece> CommandReader::NextBytes() {
  if (lost()) return std::nullopt;
  CommandStream stream = EarlierStream();
  std::uint64_t offset = offsets_[IndexOf(stream)];
  std::string bytes =
      command_->output(stream).Read(offset, kPieceBytesMax, ByteLog::ReadExtent::kSameSequence);
  if (bytes.empty()) return std::nullopt;
  Move(stream, bytes.size());
  return Piece{stream, offset, std::move(bytes)};
}

}  // namespace viv::agent
