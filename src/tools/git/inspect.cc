#include "tools/git/handlers.h"
#include "tools/git/revision.h"

namespace viv::tools::git {
namespace {

std::string Unified(const Arguments& arguments) {
  return "--unified=" + std::to_string(arguments.Integer("context_lines", 3));
}

}  // namespace

Result<std::string> ShowStatus(Repository& repository, const Arguments&) {
  ASSIGN_OR_RETURN(const std::string text, repository.Git({"status"}));
  return "Repository status:\n" + text;
}

Result<std::string> DiffUnstaged(Repository& repository, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text, repository.Git({"diff", Unified(arguments)}));
  return "Unstaged changes:\n" + text;
}

Result<std::string> DiffStaged(Repository& repository, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string text,
                   repository.Git({"diff", Unified(arguments), "--cached"}));
  return "Staged changes:\n" + text;
}

Result<std::string> DiffTarget(Repository& repository, const Arguments& arguments) {
  const std::string target = arguments.Text("target");
  RETURN_IF_ERROR(RefuseOption("target", target));
  RETURN_IF_ERROR(Resolve(repository, target));
  ASSIGN_OR_RETURN(const std::string text, repository.Git({"diff", Unified(arguments), target}));
  return "Diff with " + target + ":\n" + text;
}

}  // namespace viv::tools::git
