#include "tools/git/handlers.h"
#include "tools/git/revision.h"

namespace viv::tools::git {
namespace {

struct Base {
  std::string name, commit;
};

Result<Base> ActiveBranch(const Repository& repository) {
  auto commit = repository.Git({"rev-parse", "--verify", "--quiet", "HEAD"});
  auto branch = repository.Git({"symbolic-ref", "--quiet", "--short", "HEAD"});
  if (!branch)
    return Fail(ErrorCode::kInvalidArgument,
                "HEAD is a detached symbolic reference as it points to '" +
                    (commit ? *commit : "nothing") +
                    "'. Use .commit or .object to access the target directly.");
  if (!commit) return BadName(*branch);
  return Base{*branch, *commit};
}

// A base is a branch or tag by its name, not any revision.
Result<Base> NamedBase(const Repository& repository, const std::string& name) {
  if (CheckReferenceName(name)) {
    for (const char* kind : {"refs/heads/", "refs/remotes/", "refs/tags/"}) {
      auto commit = repository.Git({"rev-parse", "--verify", "--quiet", kind + name + "^{commit}"});
      if (commit) return Base{name, *commit};
    }
  }
  return Fail(ErrorCode::kNotFound, "No item found with id " + name);
}

}  // namespace

Result<std::string> ListBranches(Repository& repository, const Arguments& arguments) {
  const std::string type = arguments.Text("branch_type");
  const auto contains = arguments.OptionalText("contains");
  const auto not_contains = arguments.OptionalText("not_contains");
  if (contains) RETURN_IF_ERROR(RefuseOption("contains value", *contains));
  if (not_contains) RETURN_IF_ERROR(RefuseOption("not_contains value", *not_contains));
  std::vector<std::string> command = {"branch"};
  if (type == "remote") command.emplace_back("-r");
  if (type == "all") command.emplace_back("-a");
  if (type != "local" && type != "remote" && type != "all") return "Invalid branch type: " + type;
  if (contains) command.insert(command.end(), {"--contains", *contains});
  if (not_contains) command.insert(command.end(), {"--no-contains", *not_contains});
  return repository.Git(command);
}

Result<std::string> CreateBranch(Repository& repository, const Arguments& arguments) {
  const std::string name = arguments.Text("branch_name");
  const std::string base_name = arguments.Text("base_branch");
  RETURN_IF_ERROR(RefuseOption("branch name", name));
  RETURN_IF_ERROR(RefuseOption("base branch", base_name));
  ASSIGN_OR_RETURN(const Base base,
                   base_name.empty() ? ActiveBranch(repository) : NamedBase(repository, base_name));
  const std::string reference = "refs/heads/" + name;
  RETURN_IF_ERROR(CheckReferenceName(reference));
  if (auto there = repository.Git({"rev-parse", "--verify", "--quiet", reference})) {
    if (*there != base.commit)
      return Fail(ErrorCode::kConflict, "Reference at '" + reference +
                                            "' does already exist, pointing to '" + *there +
                                            "', requested was '" + base.commit + "'");
  } else {
    const std::string nothing(base.commit.size(), '0');
    RETURN_IF_ERROR(repository.Git({"update-ref", "-m", "branch: Created from " + base.name,
                                    reference, base.commit, nothing}));
  }
  return "Created branch '" + name + "' from '" + base.name + "'";
}

Result<std::string> Checkout(Repository& repository, const Arguments& arguments) {
  const std::string name = arguments.Text("branch_name");
  RETURN_IF_ERROR(RefuseOption("branch name", name));
  RETURN_IF_ERROR(Resolve(repository, name));
  RETURN_IF_ERROR(repository.Git({"checkout", name}));
  return "Switched to branch '" + name + "'";
}

}  // namespace viv::tools::git
