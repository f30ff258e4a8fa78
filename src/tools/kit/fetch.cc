#include "tools/kit/fetch.h"

#include <cstdlib>

#include "base/text.h"
#include "tools/kit/run.h"

namespace viv::tools {
namespace {

constexpr std::size_t kUrlBytesMax = 8 << 10;
constexpr int kCurlTooLarge = 63;
constexpr int kCurlTimedOut = 28;

std::vector<std::string> CurlCommand(const FetchRequest& request) {
  return {"curl",
          "-q",  // no settings of the user
          "--silent",
          "--show-error",
          "--location",
          "--max-redirs",
          "10",
          "--proto",
          "=http,https",
          "--proto-redir",
          "=http,https",
          "--globoff",
          "--max-time",
          std::to_string(request.time_max.count()),
          "--max-filesize",
          std::to_string(request.bytes_max),
          "--write-out",
          "%{stderr}\n%{http_code} %{content_type}",
          "--url",
          request.url};
}

}  // namespace

bool IsWebUrl(std::string_view text) {
  return text.starts_with("http://") || text.starts_with("https://");
}

Result<Fetched> Fetch(const FetchRequest& request) {
  if (!IsWebUrl(request.url) || request.url.size() > kUrlBytesMax ||
      request.url.find('\0') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, "only http and https URLs can be fetched");
  RunRequest run;
  run.arguments = CurlCommand(request);
  run.time_max = request.time_max + std::chrono::seconds(5);
  run.output_max = request.bytes_max + 1;
  run.cancelled = request.cancelled;
  auto ended = Run(run);
  if (!ended && ended.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kUnavailable,
                "curl is not installed here; install the package curl to read URLs");
  if (!ended) return PassUp(ended.error());
  if (ended->cancelled) return Fail(ErrorCode::kUnavailable, "cancelled");
  if (ended->timed_out || ended->exit_code == kCurlTimedOut)
    return Fail(ErrorCode::kUnavailable,
                "no answer within " + std::to_string(request.time_max.count()) + " seconds");
  if (ended->output_cut || ended->exit_code == kCurlTooLarge)
    return Fail(ErrorCode::kLimitExceeded,
                "the answer is larger than " + std::to_string(request.bytes_max >> 20) + " MiB");
  const std::size_t last = ended->error.rfind('\n');
  const std::string_view said =
      Trim(std::string_view(ended->error).substr(0, last == std::string::npos ? 0 : last));
  if (ended->exit_code != 0)
    return Fail(ErrorCode::kUnavailable, said.empty()
                                             ? "curl failed: " + std::to_string(ended->exit_code)
                                             : Printable(said, 500));
  Fetched fetched;
  const std::string summary =
      last == std::string::npos ? ended->error : ended->error.substr(last + 1);
  fetched.status = std::atoi(summary.c_str());
  if (const std::size_t space = summary.find(' '); space != std::string::npos)
    fetched.content_type = Printable(Trim(std::string_view(summary).substr(space)), 200);
  fetched.body = std::move(ended->output);
  return fetched;
}

}  // namespace viv::tools
