#pragma once
// What left a box, or was refused: a line of JSON for each connection, or for each request where
// requests are read. Kept in a file per box, of which the newest megabytes stay. A thread of its
// own writes, some milliseconds later, so that a slow disk delays no connection; a crash loses that
// moment at most. Never has a header, a body or a query. Thread-safe.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace viv::network {

struct FlowRecord {
  std::int64_t at_us = 0;  // its beginning
  std::string name;        // the host the guest asked for; empty: an address
  std::string address;     // empty for a question that was refused
  std::uint16_t port = 0;
  std::string protocol;  // "tcp", "tls", "http", "https", "dns"
  std::string method;    // of a request that was read
  std::string path;      // its path, without the query
  int status = 0;        // of its answer
  std::string rule;      // what decided: "allow *.example.com", "header rule github", "private"
  std::string verdict;   // "allowed", "refused" or "failed"
  std::string reason;    // why refused or failed
  std::uint64_t bytes_out = 0, bytes_in = 0;
  std::int64_t duration_us = 0;
};

class FlowLog {
 public:
  // Files lie in `folder`, which is made.
  static Result<std::unique_ptr<FlowLog>> Open(std::string folder);
  virtual ~FlowLog() = default;

  // Never waits for the disk. Of a flood in one box only the first hundreds are kept, and a line
  // that says how many were not. An id that is no file name is ignored.
  virtual void Append(const std::string& box_id, const FlowRecord& record) = 0;
  // All that was appended before counts: the newest `limit` records, oldest first, as objects with
  // the members above; empty texts and zeros are left out, "at" is RFC 3339.
  virtual std::vector<json::object> Read(const std::string& box_id, std::size_t limit) const = 0;
  virtual void Remove(const std::string& box_id) = 0;  // also what is still to come of it
  // At start: removes the files of all others.
  virtual void KeepOnly(const std::set<std::string>& box_ids) = 0;
};

}  // namespace viv::network
