#include "agent/mcp/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

constexpr std::size_t kProcessesLookedAtMax = 100'000;

struct ProcessParents {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
};

pid_t NumberIn(std::string_view text) {
  pid_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Of /proc/PID/stat: "PID (name) state parent group session …", where the name may be anything.
bool ReadProcessParents(int folder, const char* name, ProcessParents& place) {
  place.pid = NumberIn(name);
  if (place.pid <= 0) return false;
  std::string path = std::string(name) + "/stat";
  UniqueFd file(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char buffer[1024];
  ssize_t count = file ? ::read(file.get(), buffer, sizeof buffer) : -1;
  if (count <= 0) return false;
  std::string_view text(buffer, static_cast<std::size_t>(count));
  std::size_t end = text.rfind(')');
  if (end == std::string_view::npos || end + 2 >= text.size()) return false;
  std::vector<std::string_view> words = Split(text.substr(end + 2), ' ');
  if (words.size() < 4 || words[0] == "Z" || words[0] == "X") return false;
  place.parent = NumberIn(words[1]);
  place.session = NumberIn(words[3]);
  return true;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<ProcessParents> ReadAllProcesses(const std::string& proc) {
  std::vector<ProcessParents> places;
  UniqueFd file(::open(proc.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file) return places;
  std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(file.get()));
  if (folder == nullptr) return places;
  int number = file.release();  // the folder's now
  while (const dirent* entry = ::readdir(folder.get())) {
    ProcessParents place;
    if (ReadProcessParents(number, entry->d_name, place)) places.push_back(place);
    if (places.size() >= kProcessesLookedAtMax) break;
  }
  return places;
}

}  // namespace

std::size_t CountDescendants(pid_t leader, const std::string& proc) {
  const std::vector<ProcessParents> places = ReadAllProcesses(proc);
  std::set<pid_t> family{leader};
  for (std::size_t before = 0; before != family.size();) {
    before = family.size();
    for (const ProcessParents& place : places) {
      if (place.session == leader || family.contains(place.parent)) family.insert(place.pid);
    }
  }
  return family.size() - 1;
}

}  // namespace viv::agent
