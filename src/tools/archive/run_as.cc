#include "tools/archive/run_as.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <vector>

#include "base/text.h"
#include "base/unique_fd.h"
#include "tools/archive/beneath.h"

namespace viv::tools {
namespace {

struct UserIds {
  uid_t user = 0;
  gid_t group = 0;
};

bool ReadId(std::string_view text, unsigned& id) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), id);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// By hand: a static program cannot ask the system's name services.
Result<UserIds> FindUser(const std::string& name) {
  std::ifstream file("/etc/passwd");
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string_view> fields = Split(line, ':');
    UserIds ids;
    if (fields.size() >= 4 && fields[0] == name && ReadId(fields[2], ids.user) &&
        ReadId(fields[3], ids.group))
      return ids;
  }
  return Fail(ErrorCode::kNotFound, "there is no user '" + name + "'");
}

}  // namespace

Status MakeFolderAndSetUser(const std::string& folder, const std::string& user) {
  ASSIGN_OR_RETURN(const UserIds ids, FindUser(user));
  UniqueFd at(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string_view part : Split(folder, '/')) {
    if (part.empty()) continue;
    const std::string name(part);
    const bool made = ::mkdirat(at.get(), name.c_str(), 0755) == 0;
    if (!made && errno != EEXIST) return FailArchiveCall("make " + folder, errno);
    UniqueFd next = OpenBeneath(at.get(), name, O_RDONLY | O_DIRECTORY);
    if (!next) return FailArchiveCall("open " + folder, errno);
    if (made && ::fchown(next.get(), ids.user, ids.group) != 0)
      return FailArchiveCall("make " + folder, errno);
    at = std::move(next);
  }
  if (::setgroups(0, nullptr) != 0 || ::setgid(ids.group) != 0 || ::setuid(ids.user) != 0)
    return FailArchiveCall("become " + user, errno);
  return {};
}

}  // namespace viv::tools
