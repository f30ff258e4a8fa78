#pragma once
// A file as the body of a response: small files as a whole, others in pieces while the client reads
// them, so that the agent's memory does not depend on a file's size.

#include <cstdint>

#include "agent/files/file_result.h"
#include "base/unique_fd.h"
#include "http/message.h"

namespace viv::agent {

class FileSender {
 public:
  // `size` is what fstat says. A file of /proc says 0 and has content: it is read to its end.
  FileSender(UniqueFd file, std::uint64_t size);

  void Limit(std::uint64_t first, std::uint64_t count);
  void UseGzip() { gzip_ = true; }

  // Reads what goes at once; the error is that of the read. To be called once.
  ErrnoOr<void> AttachTo(http::Response& response) &&;

 private:
  UniqueFd file_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  bool size_known_ = true;
  bool gzip_ = false;
};

}  // namespace viv::agent
