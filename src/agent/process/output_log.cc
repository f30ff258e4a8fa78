#include "agent/process/output_log.h"

#include <algorithm>

namespace viv::agent {

OutputLog::Reader::Reader(OutputLog& log, std::uint64_t offset)
    : log_(log), offset_(std::min(offset, log.end_)) {
  log_.readers_.push_back(this);
}

OutputLog::Reader::~Reader() {
  std::erase(log_.readers_, this);
}

bool OutputLog::Reader::lost() const {
  return offset_ < log_.begin_;
}

std::optional<OutputLog::Piece> OutputLog::Reader::Next() {
  if (lost() || offset_ == log_.end_) return std::nullopt;
  // The last chunk that begins at or before our place.
  auto after = std::upper_bound(
      log_.chunks_.begin(), log_.chunks_.end(), offset_,
      [](std::uint64_t offset, const Chunk& chunk) { return offset < chunk.offset; });
  const Chunk& chunk = *std::prev(after);
  Piece piece{chunk.stream, chunk.bytes.substr(offset_ - chunk.offset)};
  offset_ += piece.bytes.size();
  return piece;
}

void OutputLog::Append(OutputStream stream, std::string_view bytes) {
  while (!bytes.empty()) {
    bool joins = !chunks_.empty() && chunks_.back().stream == stream &&
                 chunks_.back().bytes.size() < kPieceBytesMax;
    if (!joins) {
      chunks_.push_back({stream, end_, {}});
      cost_ += kChunkCost;
    }
    std::string& last = chunks_.back().bytes;
    std::string_view part = bytes.substr(0, kPieceBytesMax - last.size());
    last += part;
    bytes.remove_prefix(part.size());
    end_ += part.size();
    cost_ += part.size();
  }
  Trim(kWindowBytes);
}

void OutputLog::Trim(std::size_t bytes_max) {
  while (cost_ > bytes_max && !chunks_.empty()) {
    cost_ -= chunks_.front().bytes.size() + kChunkCost;
    chunks_.pop_front();
  }
  begin_ = chunks_.empty() ? end_ : chunks_.front().offset;
}

bool OutputLog::wants_more() const {
  auto near_enough = [this](const Reader* reader) {
    return end_ - reader->offset_ < kLeadBytesMax;
  };
  return readers_.empty() || std::any_of(readers_.begin(), readers_.end(), near_enough);
}

}  // namespace viv::agent
