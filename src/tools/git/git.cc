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
  Beside beside;  // those that change nothing
};

constexpr GitTool kGitHandlers[] = {
    {"git_status", git::ShowStatus, Beside::kOthers},
    {"git_diff_unstaged", git::DiffUnstaged, Beside::kOthers},
    {"git_diff_staged", git::DiffStaged, Beside::kOthers},
    {"git_diff", git::DiffTarget, Beside::kOthers},
    {"git_commit", git::MakeCommit, Beside::kNothing},
    {"git_add", git::AddFiles, Beside::kNothing},
    {"git_reset", git::ResetIndex, Beside::kNothing},
    {"git_log", git::ShowLog, Beside::kOthers},
    {"git_create_branch", git::CreateBranch, Beside::kNothing},
    {"git_checkout", git::Checkout, Beside::kNothing},
    {"git_show", git::ShowCommit, Beside::kOthers},
    {"git_branch", git::ListBranches, Beside::kOthers},
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

std::unique_ptr<ToolServer> MakeGit(const Setup& setup) {
  ServerInfo info{.name = "mcp-git",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kJsonSchema};
  auto server = std::make_unique<ToolServer>(std::move(info), kGitTools);
  const Workspace workspace(setup.workspace);
  for (const GitTool& tool : kGitHandlers) {
    server->On(
        tool.name,
        [workspace, handler = tool.handler](const Arguments& arguments, const CallContext& context)
            -> CallResult { return CallGit(workspace, handler, arguments, context); },
        tool.beside);
  }
  return server;
}

}  // namespace viv::tools
