#include "engine/pretty_text.h"

#include <array>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>

#include "base/json.h"

namespace viv::engine {
namespace {

constexpr std::size_t kFirstBlockBytes = 4096;

}  // namespace

Result<std::string> PrettyText(std::string_view text, std::size_t depth_max) {
  std::array<unsigned char, kFirstBlockBytes> first;  // enough for most answers
  json::monotonic_resource memory(first.data(), first.size());
  json::parse_options options;
  options.max_depth = depth_max;
  json::parser parser({}, options);
  parser.reset(&memory);
  boost::system::error_code error;
  std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  if (error) {
    return Fail(ErrorCode::kInvalidArgument,
                "invalid JSON at byte " + std::to_string(read) + ": " + error.message());
  }
  return PrettyJson(parser.release());
}

}  // namespace viv::engine
