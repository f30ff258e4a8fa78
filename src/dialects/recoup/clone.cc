#include "dialects/recoup/clone.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/execution.h"
#include "dialects/recoup/git_pack.h"
#include "http/client.h"

namespace viv::recoup {
namespace {

constexpr std::int64_t kCloneSeconds = 120;
constexpr std::chrono::seconds kUploadTimeout{60};
constexpr std::size_t kGitTextMax = 500;

bool IsGitHubWord(std::string_view word) {
  return !word.empty() && word.size() <= 100 && word != "." && word != ".." &&
         word.front() != '-' && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

// "https://github.com/owner/repo", maybe with ".git" or a slash behind it.
bool IsGitHubUrl(std::string_view url) {
  constexpr std::string_view kHost = "https://github.com/";
  if (!EqualsIgnoreCase(url.substr(0, kHost.size()), kHost)) return false;
  url.remove_prefix(kHost.size());
  if (url.ends_with('/')) url.remove_suffix(1);
  std::vector<std::string_view> words = Split(url, '/');
  return words.size() == 2 && IsGitHubWord(words[0]) && IsGitHubWord(words[1]);
}

// Runs a command to its exit; returns its output, or its error message.
Task<Result<std::string>> RunInBox(Context& context, std::string box_id, std::string command) {
  Execution execution{.box_id = std::move(box_id),
                      .id = "git-" + boxes::NewTemplateId(),
                      .command = std::move(command)};
  execution.timeout_seconds = kCloneSeconds;
  execution.response_timeout = std::chrono::seconds(kCloneSeconds);
  execution.begun_at_us = context.clock() * 1000;
  ExecutionResult end = co_await Follow(context.boxes, execution);
  if (end.kind != ExecutionResult::Kind::kExited)
    co_return Fail(ErrorCode::kUnavailable, end.message);
  if (end.exit_code != 0) {
    std::string said = execution.errors.Text();
    co_return Fail(ErrorCode::kUnavailable, Printable(Trim(said), kGitTextMax));
  }
  co_return std::string(Trim(execution.output.Text()));
}

Task<Status> UploadToBox(Context& context,
                         std::string box_id,
                         std::string path,
                         std::string bytes) {
  auto connection = co_await context.boxes.DialAgent(box_id);
  if (!connection) co_return PassUp(connection.error());
  http::ClientRequest request;
  request.method = "POST";
  request.url = "http://box/files?path=" + PercentEncode(path);
  request.headers.Add("Content-Type", "application/octet-stream");
  request.headers.Add("X-Access-Token", context.boxes.AgentToken(box_id));
  request.body = std::move(bytes);
  request.timeout = kUploadTimeout;
  auto response = co_await http::FetchOver(std::move(*connection), std::move(request));
  if (!response) co_return PassUp(response.error());
  if (response->status != 200)
    co_return Fail(ErrorCode::kUnavailable,
                   "the sandbox answered with status " + std::to_string(response->status));
  co_return Status();
}

constexpr std::string_view kFreshRepository =
    "set -e; cd ~; rm -rf repo; mkdir repo; cd repo; git init -q; "
    "git symbolic-ref HEAD refs/heads/";

Task<Result<std::string>> CloneOwn(Context& context, std::string box_id, CloneSource source) {
  auto pack = co_await FetchPack(context.repositories, source.owner);
  if (!pack) co_return PassUp(pack.error());
  const std::string branch = ShellQuoted(pack->head.branch);
  std::string command = std::string(kFreshRepository) + branch + "; git remote add origin " +
                        ShellQuoted(source.url) + "; ";
  if (!pack->bytes.empty()) {
    const std::string file = "/tmp/viv-" + boxes::NewTemplateId() + ".pack";
    Status uploaded = co_await UploadToBox(context, box_id, file, std::move(pack->bytes));
    if (!uploaded) co_return PassUp(uploaded.error(), "carry the repository over");
    command += "trap 'rm -f " + file + "' EXIT; git index-pack --stdin < " + file +
               " > /dev/null; git update-ref refs/remotes/origin/" + branch + ' ' +
               pack->head.commit + "; git reset -q --hard " + pack->head.commit +
               "; git config branch." + branch + ".remote origin; git config branch." + branch +
               ".merge refs/heads/" + branch;
  }
  auto done = co_await RunInBox(context, box_id, std::move(command));
  if (!done) co_return PassUp(done.error(), "clone");
  co_return pack->head.branch;
}

Task<Result<std::string>> CloneFromGitHub(Context& context,
                                          std::string box_id,
                                          CloneSource source) {
  std::string command =
      "set -e; cd ~; rm -rf repo; export GIT_TERMINAL_PROMPT=0; git clone -q -- " +
      ShellQuoted(source.url) + " repo; cd repo; git symbolic-ref --short HEAD";
  auto branch = co_await RunInBox(context, std::move(box_id), std::move(command));
  if (!branch) co_return PassUp(branch.error(), "clone");
  co_return Printable(*branch);
}

}  // namespace

Result<CloneSource> CloneSourceOf(const Context& context,
                                  const std::string& origin,
                                  const std::string& account_id,
                                  std::string url) {
  std::optional<std::string> owner = OwnerOfRepository(context, origin, account_id, url);
  if (owner && context.repositories.Has(*owner)) return CloneSource{std::move(url), *owner};
  if (IsGitHubUrl(url)) return CloneSource{std::move(url), ""};
  return Fail(ErrorCode::kInvalidArgument,
              "repoUrl must be https://github.com/OWNER/REPO, or the URL of a repository that this "
              "server keeps for your account");
}

Task<Result<std::string>> CloneInto(Context& context, std::string box_id, CloneSource source) {
  if (source.owner.empty()) return CloneFromGitHub(context, std::move(box_id), std::move(source));
  return CloneOwn(context, std::move(box_id), std::move(source));
}

}  // namespace viv::recoup
