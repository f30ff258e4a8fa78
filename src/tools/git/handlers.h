#pragma once
// The tools themselves, one function each: what it answers, or why it cannot. The repository is
// open already.

#include <string>

#include "tools/git/repository.h"
#include "tools/kit/arguments.h"

namespace viv::tools::git {

using Handler = Result<std::string> (*)(Repository& repository, const Arguments& arguments);

// inspect.cc
Result<std::string> ShowStatus(Repository& repository, const Arguments& arguments);
Result<std::string> DiffUnstaged(Repository& repository, const Arguments& arguments);
Result<std::string> DiffStaged(Repository& repository, const Arguments& arguments);
Result<std::string> DiffTarget(Repository& repository, const Arguments& arguments);

// history.cc
Result<std::string> ShowLog(Repository& repository, const Arguments& arguments);
Result<std::string> ShowCommit(Repository& repository, const Arguments& arguments);

// change.cc
Result<std::string> AddFiles(Repository& repository, const Arguments& arguments);
Result<std::string> ResetIndex(Repository& repository, const Arguments& arguments);
Result<std::string> MakeCommit(Repository& repository, const Arguments& arguments);

// branches.cc
Result<std::string> ListBranches(Repository& repository, const Arguments& arguments);
Result<std::string> CreateBranch(Repository& repository, const Arguments& arguments);
Result<std::string> Checkout(Repository& repository, const Arguments& arguments);

}  // namespace viv::tools::git
