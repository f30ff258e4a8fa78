#pragma once
// Reads the body of a git client's request in pieces: decompresses gzip, and limits the size before
// and after decompression.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::git {

class GitBody {
 public:
  // The body's reader outlives this. kInvalidArgument for an encoding that is not known.
  static Result<GitBody> Open(http::Request& request, std::uint64_t bytes_max);

  // The next piece, up to 256 KiB; empty at the end. kLimitExceeded beyond the limit,
  // kInvalidArgument for malformed gzip, else the reader's error.
  Task<Result<std::string>> Next();

 private:
  struct Inflater;
  struct EndInflater {
    void operator()(Inflater* inflater) const;
  };

  GitBody() = default;
  static tl::unexpected<Error> TooLarge();
  Task<Result<std::string>> Receive();  // as sent
  Result<std::string> Unpack();         // what `received_` gives, as far as there is room

  http::BodyReader* reader_ = nullptr;
  std::string whole_;     // what came with the request, when it is not streamed
  std::string received_;  // still packed, from `taken_` on
  std::size_t taken_ = 0;
  bool at_end_ = false;
  std::uint64_t received_left_ = 0;
  std::uint64_t bytes_left_ = 0;
  std::unique_ptr<Inflater, EndInflater> inflater_;
};

}  // namespace viv::git
