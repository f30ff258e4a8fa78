// How fast boxes start and end. In one run, interleaved: a bare process, bubblewrap, crun, and our
// launcher up to an answer of the agent. Prints medians, 99th percentiles, and ratios to
// bubblewrap.
//
//   box_bench [count] [folder]      root only; the folder is for the boxes' files

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cgroup_layout.h"
#include "runtime/cgroups.h"
#include "runtime/launcher.h"

namespace viv::bench {
namespace {

namespace fs = std::filesystem;
using Series = std::vector<double>;  // milliseconds

constexpr int kRounds = 3;

double NowMs() {
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(since).count();
}

double Percentile(Series series, double part) {
  if (series.empty()) return 0;
  std::sort(series.begin(), series.end());
  auto at = static_cast<std::size_t>(part * static_cast<double>(series.size()));
  return series[std::min(at, series.size() - 1)];
}

[[noreturn]] void Die(const std::string& why) {
  fmt::print(stderr, "box_bench: {}\n", why);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Runs a program to its end; how long that took.
double TimeProgram(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  double start = NowMs();
  pid_t pid = -1;
  int error = ::posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) Die(command[0] + ": " + std::strerror(error));
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (status != 0) Die(command[0] + " failed");
  return NowMs() - start;
}

// A root with links into /usr, as the `base` template has.
void MakeRoot(const fs::path& root) {
  for (const char* folder : {"proc", "dev", "sys", "tmp", "run", "etc", "root", "home", "usr"})
    fs::create_directories(root / folder);
  for (const char* link : {"bin", "sbin", "lib", "lib64"})
    if (!fs::exists(fs::symlink_status(root / link)))
      fs::create_symlink(std::string("usr/") + link, root / link);
}

UniqueFd MakeNetwork() {
  UniqueFd made;
  std::thread([&made] {
    if (::unshare(CLONE_NEWNET) != 0) return;
    UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    ::ioctl(socket.get(), SIOCSIFFLAGS, &request);
    made = UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  }).join();
  if (!made) Die("cannot make a network namespace");
  return made;
}

class Boxes {
 public:
  explicit Boxes(const fs::path& folder)
      : folder_(folder),
        cgroups_(Must(runtime::Cgroups::Open("bench"))),
        launcher_(Must(runtime::Launcher::Start({.agent = VIV_AGENT}))),
        network_(MakeNetwork()) {
    MakeRoot(folder_ / "layer");
    // What a run that was broken off left behind.
    for (const std::string& name : cgroups_->List())
      Must(cgroups_->Remove(Must(cgroups_->Find(name))));
  }

  // One life of a box, each part timed into its series.
  void Cycle(int number, std::map<std::string, Series>& series) {
    std::string name = "box" + std::to_string(number);
    fs::path own = folder_ / name;
    fs::remove_all(own);
    fs::create_directories(own);
    UniqueFd listener = Listen(own / "agent");

    double start = NowMs();
    auto group = Must(cgroups_->Make(name, {}));
    double grouped = NowMs();
    runtime::BoxLaunchRequest request;
    request.slot = static_cast<std::uint32_t>(number);
    request.overlays = {{"", {folder_ / "layer"}}, {"usr", {"/usr"}}};
    request.folder = own;
    request.hostname = "bench";
    request.network = network_.get();
    request.listener = listener.get();
    request.cgroup = group.get();
    auto launched = Must(launcher_->Launch(request));
    double contained = NowMs();
    AskHealth(own / "agent");
    double answered = NowMs();
    Must(group->Kill());
    pollfd ended{launched.pidfd.get(), POLLIN, 0};
    if (::poll(&ended, 1, 5000) != 1) Die("a box did not end");
    double killed = NowMs();
    Must(cgroups_->Remove(std::move(group)));
    double removed = NowMs();
    fs::remove_all(own);

    series["viv: make limits"].push_back(grouped - start);
    series["viv: launch, contained"].push_back(contained - grouped);
    series["viv: launch, agent answered"].push_back(answered - grouped);
    series["viv: limits and launch, agent answered"].push_back(answered - start);
    series["viv: kill, all gone"].push_back(killed - answered);
    series["viv: remove limits"].push_back(removed - killed);
  }

 private:
  static sockaddr_un Address(const fs::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  static UniqueFd Listen(const fs::path& path) {
    sockaddr_un address = Address(path);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.get(), 64) != 0)
      Die("cannot listen on " + path.string());
    return socket;
  }

  static void AskHealth(const fs::path& path) {
    sockaddr_un address = Address(path);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    constexpr char kRequest[] = "GET /health HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n";
    char answer[64] = {};
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::send(socket.get(), kRequest, sizeof kRequest - 1, MSG_NOSIGNAL) < 0 ||
        ::recv(socket.get(), answer, sizeof answer - 1, 0) < 12 ||
        std::strncmp(answer + 8, " 20", 3) != 0)
      Die(fmt::format("the agent did not answer well: '{}'", answer));
  }

  fs::path folder_;
  std::unique_ptr<runtime::Cgroups> cgroups_;
  std::unique_ptr<runtime::Launcher> launcher_;
  UniqueFd network_;
};

// crun refuses a machine with v1 controllers and a v2 mount beside them: in its own mount namespace
// the latter is taken away. Times come back through a pipe.
Series TimeCrun(const fs::path& folder, int first, int count) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) Die("pipe");
  pid_t pid = ::fork();
  if (pid == 0) {
    auto layout = runtime::FindCgroupLayout();
    bool ready = ::unshare(CLONE_NEWNS) == 0 &&
                 ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    if (ready && layout && !layout->v1.empty() && !layout->v2_folder.empty())
      ::umount2(layout->v2_folder.c_str(), MNT_DETACH);
    for (int i = 0; ready && i < count; ++i) {
      std::string name = "vivbench" + std::to_string(first + i);
      double time = TimeProgram({"/usr/bin/crun", "--cgroup-manager=cgroupfs", "run", "--bundle",
                                 folder / "bundle", name});
      if (::write(pipe[1], &time, sizeof time) != sizeof time) ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  Series times;
  double time = 0;
  while (::read(pipe[0], &time, sizeof time) == sizeof time) times.push_back(time);
  ::close(pipe[0]);
  ::waitpid(pid, nullptr, 0);
  return times;
}

void MakeBundle(const fs::path& folder) {
  MakeRoot(folder / "bundle/rootfs");
  std::ofstream(folder / "bundle/config.json") << R"({
 "ociVersion": "1.0.0",
 "process": {"terminal": false, "user": {"uid": 0, "gid": 0}, "args": ["/bin/true"], "cwd": "/",
             "env": ["PATH=/usr/bin:/bin"], "noNewPrivileges": true},
 "root": {"path": "rootfs", "readonly": true},
 "hostname": "bench",
 "mounts": [
  {"destination": "/proc", "type": "proc", "source": "proc"},
  {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
  {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro"]}],
 "linux": {
  "namespaces": [{"type": "pid"}, {"type": "network"}, {"type": "ipc"}, {"type": "uts"},
                 {"type": "mount"}],
  "resources": {"memory": {"limit": 536870912}, "pids": {"limit": 1024}}}})";
}

void Print(const std::map<std::string, Series>& series) {
  auto reference = series.find("bwrap /bin/true");
  double median = reference == series.end() ? 0 : Percentile(reference->second, 0.5);
  fmt::print("{:<42}{:>6}{:>10}{:>10}{:>10}{:>12}\n", "", "n", "min ms", "p50 ms", "p99 ms",
             "vs bwrap");
  for (const auto& [name, times] : series) {
    double middle = Percentile(times, 0.5);
    std::string ratio = median > 0 ? fmt::format("{:.3f}", middle / median) : "-";
    fmt::print("{:<42}{:>6}{:>10.3f}{:>10.3f}{:>10.3f}{:>12}\n", name, times.size(),
               Percentile(times, 0), middle, Percentile(times, 0.99), ratio);
  }
}

int Main(int argc, char** argv) {
  int count = argc > 1 ? std::atoi(argv[1]) : 300;
  char pattern[] = "/var/tmp/box_bench.XXXXXX";
  fs::path folder = argc > 2 ? argv[2] : ::mkdtemp(pattern);
  if (count < kRounds || ::geteuid() != 0) Die("usage: box_bench [count] [folder], as root");
  fs::create_directories(folder);
  MakeBundle(folder);
  std::map<std::string, Series> series;
  {
    Boxes boxes(folder);
    std::map<std::string, Series> warm_up;
    for (int i = 0; i < 5; ++i) boxes.Cycle(i, warm_up);
    int each = count / kRounds;
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < each; ++i) {
        series["process /bin/true"].push_back(TimeProgram({"/bin/true"}));
        boxes.Cycle(round * each + i, series);
      }
      for (int i = 0; fs::exists("/usr/bin/bwrap") && i < each / 2; ++i) {
        series["bwrap /bin/true"].push_back(
            TimeProgram({"/usr/bin/bwrap", "--unshare-all", "--unshare-user", "--die-with-parent",
                         "--ro-bind", folder / "layer", "/", "--ro-bind", "/usr", "/usr", "--proc",
                         "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "/bin/true"}));
      }
      if (!fs::exists("/usr/bin/crun")) continue;
      Series crun = TimeCrun(folder, round * each, each / 4);
      auto& all = series["crun /bin/true"];
      all.insert(all.end(), crun.begin(), crun.end());
    }
  }
  fs::remove_all(folder);
  Print(series);
  return 0;
}

}  // namespace
}  // namespace viv::bench

int main(int argc, char** argv) {
  return viv::bench::Main(argc, argv);
}
