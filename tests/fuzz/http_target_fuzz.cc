// Any query string can be asked for any name; decoding never grows it.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "fuzz_target.h"
#include "http/message.h"

// The input is a query string; its first parameter's raw name is asked for too.
FUZZ_TARGET(http_target)(const std::uint8_t* data, std::size_t size) {
  viv::http::Request request;
  request.query.assign(reinterpret_cast<const char*>(data), size);
  std::string first = request.query.substr(0, request.query.find_first_of("=&"));
  for (const std::string& name : {std::string("tag"), std::string(), first}) {
    auto value = request.Query(name);
    if (value) CHECK(value->size() <= request.query.size());
  }
  request.headers.Add("host", request.query);
  CHECK(request.BaseUrl().starts_with("http://"));
  return 0;
}
