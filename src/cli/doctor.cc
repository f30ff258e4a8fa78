#include "cli/doctor.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/ids.h"
#include "base/open_files.h"
#include "cli/doctor_report.h"
#include "engine/catalogue.h"
#include "network/namespace_setup.h"
#include "runtime/machine.h"

namespace viv::cli {
namespace {

namespace fs = std::filesystem;

void CheckKernel(DoctorReport& report) {
  utsname name{};
  uname(&name);
  report.Add(Verdict::kGood, "kernel", fmt::format("{} {}", name.sysname, name.release));
  unsigned cores = std::thread::hardware_concurrency();
  report.Add(cores >= 2 ? Verdict::kGood : Verdict::kWarn, "cores", std::to_string(cores),
             cores >= 2 ? "" : "the server works, but calls and storage share one core");
}

void CheckDescriptors(DoctorReport& report) {
  constexpr std::uint64_t kEnough = 4096;
  const std::uint64_t most = OpenFilesMax();  // the server takes them
  const bool enough = most >= kEnough;
  report.Add(enough ? Verdict::kGood : Verdict::kWarn, "open files",
             fmt::format("{} at once", most),
             enough ? "" : "each connection takes one: raise the hard limit (`ulimit -Hn 16384`)");
}

void CheckSqlite(DoctorReport& report) {
  report.Add(sqlite3_libversion_number() >= 3038000 ? Verdict::kGood : Verdict::kBad, "SQLite",
             sqlite3_libversion(),
             sqlite3_libversion_number() >= 3038000
                 ? ""
                 : "3.38 or later is needed: install libsqlite3-0 of Debian 12 or later");
  for (const char* option : {"ENABLE_FTS5", "ENABLE_COLUMN_METADATA"}) {
    if (sqlite3_compileoption_used(option) == 0) {
      report.Add(Verdict::kWarn, "SQLite", std::string("built without ") + option,
                 "apps that need it will not load");
    }
  }
}

// Creates a file: permission bits say little about read-only or special file systems.
bool CanWrite(const fs::path& folder) {
  std::string probe = (folder / ".viv-doctor-XXXXXX").string();
  if (mkdtemp(probe.data()) == nullptr) return false;
  rmdir(probe.c_str());
  return true;
}

// The data folder, or the nearest above that is there already.
fs::path ExistingFolder(const std::string& data) {
  std::error_code error;
  fs::path at = fs::absolute(data, error);
  while (!fs::exists(at, error) && at.has_parent_path() && at != at.parent_path())
    at = at.parent_path();
  return at;
}

void CheckData(DoctorReport& report, const std::string& data) {
  std::error_code error;
  const fs::path at = ExistingFolder(data);
  bool writable = CanWrite(at);
  report.Add(writable ? Verdict::kGood : Verdict::kBad, "data folder",
             data + (fs::exists(data, error) ? "" : " (does not exist yet)"),
             writable ? "" : at.string() + " is not writable: choose another with --data DIR");
  auto space = fs::space(at, error);
  constexpr std::uintmax_t kGigabyte = 1 << 30;
  bool enough = !error && space.available >= kGigabyte;
  report.Add(
      enough ? Verdict::kGood : Verdict::kWarn, "disk",
      fmt::format("{:.1f} GB free", static_cast<double>(space.available) / 1e9),
      enough ? "" : "worlds and records need disk space: free some, or choose another --data");
}

void CheckTimeZones(DoctorReport& report) {
  bool there = fs::exists("/usr/share/zoneinfo/Europe/Berlin");
  report.Add(there ? Verdict::kGood : Verdict::kWarn, "time zones",
             there ? "/usr/share/zoneinfo" : "not installed",
             there ? "" : "calendars only have UTC: apt-get install tzdata");
}

void CheckApps(DoctorReport& report, const std::vector<std::string>& folders) {
  fs::path scratch = fs::temp_directory_path() / ("viv-doctor-" + RandomHex(12));
  engine::Catalogue catalogue({folders, scratch.string()});
  auto load_errors = catalogue.Refresh();
  std::size_t count = catalogue.List().size();
  report.Add(count > 0 ? Verdict::kGood : Verdict::kBad, "apps", fmt::format("{} load", count),
             count > 0 ? "" : "no apps were found: give their folder with --apps DIR");
  for (const auto& load_error : load_errors)
    report.Add(Verdict::kBad, "app " + load_error.app, "does not load", load_error.message);
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
}

bool IsInstalled(const std::string& program) {
  for (const char* folder :
       {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"})
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

// Programs that some features run; the rest works without them.
void CheckPrograms(DoctorReport& report) {
  struct Program {
    const char* name;
    const char* package;
    const char* use;
  };
  constexpr Program kPrograms[] = {
      {"git", "git", "repositories of accounts (Recoup)"},
      {"skopeo", "skopeo", "snapshots of container images (LangSmith)"},
      {"mmdebstrap", "mmdebstrap", "`viv template build --from debian`"}};
  for (const Program& program : kPrograms) {
    const bool there = IsInstalled(program.name);
    report.Add(there ? Verdict::kGood : Verdict::kWarn, program.name,
               there ? "installed" : "not installed",
               there ? std::string()
                     : fmt::format("without it there are no {}: apt-get install {}", program.use,
                                   program.package));
  }
}

// What boxes need of the kernel, each found by trying it.
void CheckBarriers(DoctorReport& report, const DoctorOptions& options) {
  using State = runtime::MachineCheck::State;
  if (::geteuid() != 0) {
    report.Add(Verdict::kWarn, "boxes", "not checked: this needs root",
               "run `sudo viv doctor`; worlds work without root");
    return;
  }
  const std::string existing = ExistingFolder(options.data);
  for (const runtime::MachineCheck& check : runtime::ProbeMachine(options.agent, existing)) {
    Verdict verdict = check.state == State::kPresent    ? Verdict::kGood
                      : check.state == State::kDegraded ? Verdict::kWarn
                                                        : Verdict::kBad;
    report.Add(verdict, check.name, check.finding, check.advice);
  }
  CheckStorage(report, {options.data, existing});
  const Status network = network::ProbeNamespaces();
  report.Add(network ? Verdict::kGood : Verdict::kBad, "network of boxes",
             network ? "TCP and DNS are redirected to the server" : network.error().message,
             network ? ""
                     : "boot a kernel that has nf_tables with nft_tproxy, nft_redir and "
                       "nft_reject, or load these modules");
}

}  // namespace

int Doctor(const DoctorOptions& options) {
  DoctorReport report;
  CheckKernel(report);
  CheckDescriptors(report);
  CheckSqlite(report);
  CheckData(report, options.data);
  CheckTimeZones(report);
  CheckApps(report, options.app_folders);
  CheckPrograms(report);
  CheckBarriers(report, options);
  CheckLocal(report, options.tools);
  fmt::print("{}\n", report.failures() == 0
                         ? "This machine is ready."
                         : "Fix what is marked FAIL, then run `viv doctor` again.");
  return report.failures() == 0 ? 0 : 1;
}

}  // namespace viv::cli
