#pragma once
// A log of what left a box or was refused: a line of JSON for each connection, or for each request
// where requests are read. Each box has a file, of which the newest megabytes are kept. A separate
// thread writes it some milliseconds later, so that a slow disk does not delay connections; a crash
// loses only those milliseconds. It contains no header, body or query. Thread-safe.

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
  std::int64_t at_us = 0;  // when it began
  std::string name;        // the host that the guest asked for; empty: it used an address
  std::string address;     // empty for a refused DNS question
  std::uint16_t port = 0;
  std::string protocol;  // "tcp", "tls", "http", "https", "dns"
  std::string method;    // of a request
  std::string path;      // its path, without the query
  int status = 0;        // of the response
  // What decided, such as "allow *.example.com", "header rule github" or "private".
  std::string rule;
  std::string verdict;  // "allowed", "refused" or "failed"
  std::string reason;   // why refused or failed
  std::uint64_t bytes_out = 0, bytes_in = 0;
  std::int64_t duration_us = 0;
};

class FlowLog {
 public:
  // Creates `folder` for the files.
  static Result<std::unique_ptr<FlowLog>> Open(std::string folder);
  virtual ~FlowLog() = default;

  // Never waits for the disk. If a box floods the log, only the first hundreds of records are kept
  // and one more says how many were dropped. Ids that are no file names are ignored.
  virtual void Append(const std::string& box_id, const FlowRecord& record) = 0;
  // The newest `limit` records, oldest first, including all that were appended before this call.
  // They are objects with the members of FlowRecord; empty strings and zeros are left out, and "at"
  // is RFC 3339.
  virtual std::vector<json::object> Read(const std::string& box_id, std::size_t limit) const = 0;
  virtual void Remove(const std::string& box_id) = 0;  // also drops records that are appended later
  // For the start of the server: removes the files of all other boxes.
  virtual void KeepOnly(const std::set<std::string>& box_ids) = 0;
};

}  // namespace viv::network
