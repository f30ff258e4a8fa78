#include "dialects/recoup/git_pack.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kPackBytesMax = 256 << 20;
constexpr std::size_t kAdvertisementBytesMax = 16 << 20;
constexpr std::string_view kBranches = "refs/heads/";

// Git's framing: four hexadecimal digits of length, which count themselves; "0000" ends a list.
class PacketReader {
 public:
  explicit PacketReader(std::string_view bytes) : rest_(bytes) {}

  struct Packet {
    bool is_flush = false;
    std::string_view data;
  };
  // Nothing at the end, or when the framing is broken.
  std::optional<Packet> Next() {
    if (rest_.size() < 4) return std::nullopt;
    std::size_t size = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, size, 16);
    if (error != std::errc() || end != rest_.data() + 4) return std::nullopt;
    if (size == 0) {
      rest_.remove_prefix(4);
      return Packet{.is_flush = true, .data = {}};
    }
    if (size < 4 || size > rest_.size()) return std::nullopt;
    std::string_view data = rest_.substr(4, size - 4);
    rest_.remove_prefix(size);
    if (data.ends_with('\n')) data.remove_suffix(1);
    return Packet{.is_flush = false, .data = data};
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::string PacketOf(std::string_view data) {
  return fmt::format("{:04x}{}", data.size() + 4, data);
}

bool IsObjectName(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsBranchName(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '-') return false;
  for (unsigned char c : name)
    if (c <= ' ' || c == 0x7f || c == '~' || c == '^' || c == ':' || c == '\\') return false;
  return IsValidUtf8(name);
}

// "symref=HEAD:refs/heads/main" among the words of the first line.
std::string_view HeadTarget(std::string_view abilities) {
  constexpr std::string_view kSymbolic = "symref=HEAD:";
  for (std::string_view word : Split(abilities, ' '))
    if (word.starts_with(kSymbolic)) return word.substr(kSymbolic.size());
  return {};
}

struct Advertised {
  std::string_view head_target;                                         // "refs/heads/main"
  std::vector<std::pair<std::string_view, std::string_view>> branches;  // reference, commit
};

Result<Advertised> ReadReferences(PacketReader& packets) {
  Advertised all;
  bool first = true;
  for (;;) {
    auto packet = packets.Next();
    if (!packet) return Fail(ErrorCode::kInternal, "git's list of branches is cut off");
    if (packet->is_flush) return all;
    std::string_view line = packet->data;
    if (std::exchange(first, false)) {
      const std::size_t zero = line.find('\0');
      if (zero != std::string_view::npos) {
        all.head_target = HeadTarget(line.substr(zero + 1));
        line = line.substr(0, zero);
      }
    }
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || !IsObjectName(line.substr(0, space)))
      return Fail(ErrorCode::kInternal, "git's list of branches is malformed");
    std::string_view name = line.substr(space + 1);
    if (name.starts_with(kBranches)) all.branches.emplace_back(name, line.substr(0, space));
  }
}

// Collects an answer that Serve streams.
class BodyCollector : public http::BodyWriter {
 public:
  explicit BodyCollector(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  Task<Status> Write(std::string piece) override {
    if (piece.size() > bytes_max_ - bytes.size()) {
      too_long = true;
      co_return Fail(ErrorCode::kLimitExceeded, "too long");
    }
    bytes += piece;
    co_return Status();
  }
  void Abort() override { aborted = true; }

  std::string bytes;
  bool too_long = false;
  bool aborted = false;

 private:
  const std::size_t bytes_max_;
};

struct GitCall {
  std::string method;
  std::string rest;
  std::string query;
  std::string body;
  std::size_t response_bytes_max;
};

http::Request RequestOf(const GitCall& call) {
  http::Request request;
  request.method = call.method;
  request.path = call.rest;
  request.query = call.query;
  request.target = call.query.empty() ? call.rest : call.rest + "?" + call.query;
  request.body = call.body;
  if (!call.body.empty())
    request.headers.Add("Content-Type", "application/x-git-upload-pack-request");
  return request;
}

Task<Result<std::string>> CallGit(git::Repositories& repositories,
                                  std::string account_id,
                                  GitCall call) {
  http::Request request = RequestOf(call);
  http::Response response = co_await repositories.Serve(account_id, call.rest, request);
  if (response.status == 404) co_return Fail(ErrorCode::kNotFound, "there is no such repository");
  if (response.status != 200)
    co_return Fail(ErrorCode::kInternal,
                   "git answered with status " + std::to_string(response.status));
  if (!response.stream) co_return std::move(response.body);
  BodyCollector collector(call.response_bytes_max);
  co_await response.stream(collector);
  if (collector.too_long)
    co_return Fail(ErrorCode::kLimitExceeded, "the repository is too large for a sandbox");
  if (collector.aborted) co_return Fail(ErrorCode::kInternal, "git's answer broke off");
  co_return std::move(collector.bytes);
}

}  // namespace

Result<GitHead> ParseAdvertisement(std::string_view bytes) {
  PacketReader packets(bytes);
  auto service = packets.Next();
  if (!service || service->data != "# service=git-upload-pack")
    return Fail(ErrorCode::kInternal, "git's list of branches has no head");
  auto flush = packets.Next();
  if (!flush || !flush->is_flush)
    return Fail(ErrorCode::kInternal, "git's list of branches has no head");
  ASSIGN_OR_RETURN(Advertised all, ReadReferences(packets));
  GitHead head;
  for (const auto& [name, commit] : all.branches) {
    // Without a default branch that exists, the first one is.
    const bool is_default = name == all.head_target;
    if (!is_default && !head.commit.empty()) continue;
    head.branch = name.substr(kBranches.size());
    head.commit = commit;
    if (is_default) break;
  }
  if (!IsBranchName(head.branch))
    return Fail(ErrorCode::kInternal, "the default branch has a name that cannot be used");
  return head;
}

Task<Result<GitPack>> FetchPack(git::Repositories& repositories, std::string account_id) {
  GitCall list{"GET", "info/refs", "service=git-upload-pack", "", kAdvertisementBytesMax};
  auto advertised = co_await CallGit(repositories, account_id, std::move(list));
  if (!advertised) co_return PassUp(advertised.error(), "list the branches");
  auto head = ParseAdvertisement(*advertised);
  if (!head) co_return PassUp(head.error());
  GitPack pack{*head, ""};
  if (pack.head.commit.empty()) co_return pack;
  GitCall fetch{"POST", "git-upload-pack", "", "", kPackBytesMax};
  fetch.body = PacketOf("want " + pack.head.commit + " ofs-delta no-progress\n") + "0000" +
               PacketOf("done\n");
  auto answer = co_await CallGit(repositories, account_id, std::move(fetch));
  if (!answer) co_return PassUp(answer.error(), "fetch the branch");
  PacketReader packets(*answer);
  auto nothing_in_common = packets.Next();
  if (!nothing_in_common || nothing_in_common->data != "NAK" || !packets.rest().starts_with("PACK"))
    co_return Fail(ErrorCode::kInternal, "git sent no pack");
  pack.bytes = packets.rest();
  co_return pack;
}

}  // namespace viv::recoup
