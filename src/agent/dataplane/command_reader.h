#pragma once
// Reads both outputs of a command in the order in which they were written. The process waits for
// the reader (see Command).

#include <optional>
#include <string>

#include "agent/dataplane/command.h"

namespace viv::agent {

class CommandReader {
 public:
  struct Piece {
    CommandStream stream;
    std::uint64_t offset = 0;
    std::string data;
  };

  // An offset that is too old becomes the oldest one kept, one past the end becomes the end.
  CommandReader(std::shared_ptr<Command> command, CommandOffsets offsets);
  ~CommandReader();
  CommandReader(const CommandReader&) = delete;
  CommandReader& operator=(const CommandReader&) = delete;

  const CommandOffsets& offsets() const { return offsets_; }
  Command::Time moved_at() const {
    return moved_at_;
  }  // since when it is far behind without progress
  void Touch(Command::Time now) { moved_at_ = now; }
  bool lost() const;                        // the next output of this reader was dropped
  bool at_end(CommandStream stream) const;  // nothing more comes there

  // Nothing when there is no output now, or when the reader is lost.
  std::optional<Piece> NextText();  // whole characters; see TakeUtf8Prefix
  std::optional<Piece> NextBytes();

 private:
  bool has_more(CommandStream stream) const;
  CommandStream EarlierStream() const;
  std::optional<Piece> TextOf(CommandStream stream);
  void Move(CommandStream stream, std::size_t bytes);

  const std::shared_ptr<Command> command_;
  CommandOffsets offsets_;
  Command::Time moved_at_;
};

}  // namespace viv::agent
