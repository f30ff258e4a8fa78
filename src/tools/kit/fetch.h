#pragma once
// Gets what a URL names, with the curl of the box: http and https only, redirections followed, both
// time and size limited. Where a box may connect is decided outside it.

#include <atomic>
#include <chrono>
#include <string>

#include "base/result.h"

namespace viv::tools {

struct FetchRequest {
  std::string url;
  std::chrono::seconds time_max{30};
  std::size_t bytes_max = 50 << 20;
  const std::atomic<bool>* cancelled = nullptr;
};

struct Fetched {
  int status = 0;
  std::string content_type;
  std::string body;
};

bool IsWebUrl(std::string_view text);  // starts with http:// or https://

// Any HTTP status is an answer; the error says in curl's words why there was none.
Result<Fetched> Fetch(const FetchRequest& request);

}  // namespace viv::tools
