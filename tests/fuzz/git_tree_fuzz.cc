// What git says about a tree is read or refused; what is read can be written again, and paths that
// are taken never leave the repository.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "fuzz_target.h"
#include "git/git_tree.h"

namespace {

void CheckPath(std::string_view path) {
  if (!viv::git::CheckRepositoryPath(path)) {
    CHECK(!viv::git::CheckWritablePath(path));
    return;
  }
  CHECK(!path.empty() && path.front() != '/' && path.find('\0') == std::string_view::npos);
  for (std::string_view part : viv::Split(path, '/')) {
    CHECK(!part.empty() && part != "." && part != "..");
    if (viv::EqualsIgnoreCase(part, ".git")) CHECK(!viv::git::CheckWritablePath(path));
  }
}

}  // namespace

FUZZ_TARGET(git_tree)(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckPath(bytes);
  if (viv::git::IsRepositoryName(bytes))
    CHECK(bytes.find_first_of("/.\\") == std::string_view::npos);
  auto entries = viv::git::ParseGitTree(bytes);
  if (!entries) return 0;
  std::string again;
  for (const auto& entry : *entries) {
    CHECK(!entry.path.empty());
    CHECK(entry.is_folder == !entry.size.has_value());
    again += entry.is_folder ? "040000 tree " : "100644 blob ";
    again += entry.sha + " " + (entry.size ? std::to_string(*entry.size) : "-") + "\t";
    again += entry.path + std::string(1, '\0');
  }
  auto second = viv::git::ParseGitTree(again);
  CHECK(second && second->size() == entries->size());
  for (std::size_t i = 0; i < entries->size(); ++i) {
    CHECK((*second)[i].path == (*entries)[i].path);
    CHECK((*second)[i].size == (*entries)[i].size);
  }
  return 0;
}
