#include "tools/git/git.h"

#include "tools/git/handlers.h"

namespace viv {
extern const std::string_view kGitTools;
}

namespace viv::tools {
namespace {

struct GitTool {
  std::string_view name;
  git::Handler handler;
  Concurrency concurrency;  // those that change nothing
};

constexpr GitTool kGitHandlers[] = {
    {"git_status", git::ShowStatus, Concurrency::kParallel},
    {"git_diff_unstaged", git::DiffUnstaged, Concurrency::kParallel},
    {"git_diff_staged", git::DiffStaged, Concurrency::kParallel},
    {"git_diff", git::DiffTarget, Concurrency::kParallel},
    {"git_commit", git::MakeCommit, Concurrency::kExclusive},
    {"git_add", git::AddFiles, Concurrency::kExclusive},
    {"git_reset", git::ResetIndex, Concurrency::kExclusive},
    {"git_log", git::ShowLog, Concurrency::kParallel},
    {"git_create_branch", git::CreateBranch, Concurrency::kExclusive},
    {"git_checkout", git::Checkout, Concurrency::kExclusive},
    {"git_show", git::ShowCommit, Concurrency::kParallel},
    {"git_branch", git::ListBranches, Concurrency::kParallel},
};

CallResult CallGit(const Workspace& workspace,
                   git::Handler handler,
                   const Arguments& arguments,
                   const CallContext& context) {
  auto repository =
      git::Repository::Open(workspace, arguments.Text("repo_path"), context.cancelled);
  if (!repository) return ErrorText(repository.error().message);
  auto text = handler(*repository, arguments);
  if (!text) return ErrorText(text.error().message);
  return Text(*std::move(text));
}

}  // namespace

std::unique_ptr<ToolServer> MakeGit(const ToolServerOptions& options) {
  ServerInfo info{.name = "mcp-git",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kJsonSchema};
  auto server = std::make_unique<ToolServer>(std::move(info), kGitTools);
  const Workspace workspace(options.workspace);
  for (const GitTool& tool : kGitHandlers) {
    server->On(
        tool.name,
        [workspace, handler = tool.handler](const Arguments& arguments, const CallContext& context)
            -> CallResult { return CallGit(workspace, handler, arguments, context); },
        tool.concurrency);
  }
  return server;
}

}  // namespace viv::tools
