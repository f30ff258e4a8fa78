// What the tools of local sandboxes need of this machine. Their boxes have its /usr, so that what
// is installed here is in the next box, and in those that run.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/doctor_report.h"

namespace viv::cli {
namespace {

struct LocalRequirement {
  const char* name;
  const char* use;  // what is missing without it
  const char* remedy;
};

constexpr LocalRequirement kLocalPrograms[] = {
    {"git", "all tools of git, and the repositories of MCP_Atlas", "apt-get install git"},
    {"pdftotext", "reading and searching by pdf-tools", "apt-get install poppler-utils"},
    {"qpdf", "merge_pdfs and extract_pdf_pages of pdf-tools", "apt-get install qpdf"},
    {"python3", "code-executor, and Python in code-runner", "apt-get install python3"},
    {"node", "JavaScript in code-runner", "apt-get install nodejs"}};

// Modules that the benchmarks' tasks import, in code-executor, code-runner, terminal and
// desktop-commander.
constexpr LocalRequirement kLocalModules[] = {
    {"pandas", "tables", "apt-get install python3-pandas"},
    {"numpy", "arrays", "apt-get install python3-numpy"},
    {"openpyxl", "Excel files", "apt-get install python3-openpyxl"},
    {"docx", "Word files", "apt-get install python3-docx"},
    {"pptx", "PowerPoint files",
     "pip3 install --break-system-packages python-pptx (Debian has no package of it)"},
    {"PyPDF2", "PDF files",
     "apt-get install python3-pypdf2; Debian 13 has its successor alone, python3-pypdf, which "
     "pdf-tools uses too"},
    {"requests", "requests of the web", "apt-get install python3-requests"}};

// A box sees /usr alone: a link out of it is dead there.
bool IsInBoxes(const std::string& program) {
  for (const char* folder : {"/usr/local/bin/", "/usr/local/sbin/", "/usr/bin/", "/usr/sbin/"}) {
    std::error_code error;
    const std::filesystem::path found = std::filesystem::weakly_canonical(folder + program, error);
    if (!error && found.string().starts_with("/usr/") && ::access(found.c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

// The modules that the system's Python finds, each name followed by a newline. Looks for them only;
// importing would run them.
std::string FindModules() {
  std::string script = "import importlib.util as u\nfor m in (";
  for (const LocalRequirement& module : kLocalModules)
    script += fmt::format("\"{}\",", module.name);
  script += "):\n if u.find_spec(m): print(m)";
  const std::string command = "/usr/bin/python3 -I -c '" + script + "' 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "re"), &::pclose);
  std::string found;
  std::array<char, 256> line;
  while (output != nullptr && found.size() < 4096 &&
         std::fgets(line.data(), line.size(), output.get()) != nullptr)
    found += line.data();
  return "\n" + found;
}

void AddRequirement(DoctorReport& report,
                    const LocalRequirement& need,
                    bool there,
                    const std::string& without) {
  report.Add(there ? Verdict::kGood : Verdict::kWarn, need.name,
             there ? "in local sandboxes" : "not in local sandboxes",
             there ? std::string() : without + ": " + need.remedy);
}

}  // namespace

void CheckLocal(DoctorReport& report, const std::string& tools) {
  const bool there = ::access(tools.c_str(), X_OK) == 0;
  report.Add(
      there ? Verdict::kGood : Verdict::kWarn, "viv-tools", there ? tools : "not at " + tools,
      there ? "" : "without it there are no local sandboxes: build it, or give --tools PATH");
  for (const LocalRequirement& program : kLocalPrograms)
    AddRequirement(report, program, IsInBoxes(program.name),
                   fmt::format("without it there is no {}", program.use));
  const std::string modules = FindModules();
  for (const LocalRequirement& module : kLocalModules)
    AddRequirement(report, module,
                   modules.find(fmt::format("\n{}\n", module.name)) != std::string::npos,
                   fmt::format("Python code that agents run has no module for {}", module.use));
  if (!IsInBoxes("soffice"))
    report.Add(Verdict::kGood, "libreoffice", "not installed",
               "no tool needs it; agents that convert documents do: apt-get install "
               "libreoffice-nogui");
}

}  // namespace viv::cli
