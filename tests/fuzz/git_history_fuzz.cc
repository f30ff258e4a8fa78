// Commits and patches may say anything: what is read of them is text, and nothing of a patch's
// hunks is lost or shown twice.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"
#include "tools/git/commit.h"
#include "tools/git/patch.h"

FUZZ_TARGET(git_history)(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto check = [](const viv::tools::git::Commit& commit) {
    CHECK(viv::IsValidUtf8(commit.message));
    CHECK(viv::IsValidUtf8(viv::tools::git::AuthorText(commit)));
    CHECK(viv::tools::git::DateText(commit).size() == 25);
    CHECK(!viv::tools::git::DateObjectText(commit).empty());
  };
  check(viv::tools::git::ParseCommit("id", bytes));
  for (const auto& commit : viv::tools::git::ParseCommits(bytes)) check(commit);
  std::size_t hunks = 0;
  for (const auto& change : viv::tools::git::SplitPatch(bytes)) {
    CHECK(bytes.find(change.hunks) != std::string_view::npos);
    hunks += change.hunks.size();
  }
  CHECK(hunks <= size);
  return 0;
}
