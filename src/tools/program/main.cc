// viv-tools: the local MCP servers of a sandbox, one program for all of them. It runs inside boxes,
// started by the agent, and speaks MCP on its standard input and output.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "tools/archive/archive.h"
#include "tools/code_executor/code_executor.h"
#include "tools/code_runner/code_runner.h"
#include "tools/desktop_commander/desktop_commander.h"
#include "tools/excel/excel.h"
#include "tools/filesystem/filesystem.h"
#include "tools/git/git.h"
#include "tools/kit/stdio.h"
#include "tools/localmemory/localmemory.h"
#include "tools/pdf_tools/pdf_tools.h"
#include "tools/terminal/terminal.h"

namespace viv::tools {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<ToolServer> (*make)(const ToolServerOptions&);
};

constexpr std::array<Entry, 9> kServers = {{{"code-executor", MakeCodeExecutor},
                                            {"code-runner", MakeCodeRunner},
                                            {"desktop-commander", MakeDesktopCommander},
                                            {"excel", MakeExcel},
                                            {"filesystem", MakeFilesystem},
                                            {"git", MakeGit},
                                            {"localmemory", MakeLocalMemory},
                                            {"pdf-tools", MakePdfTools},
                                            {"terminal", MakeTerminal}}};

int Help(std::FILE* to) {
  std::fputs(
      "viv-tools: the local MCP servers of a sandbox\n\n"
      "  viv-tools SERVER [--workspace DIR] [--profile NAME]   serve MCP on standard input and "
      "output\n"
      "  viv-tools pack FOLDER                                 write FOLDER to standard output as "
      "tar.gz\n"
      "  viv-tools unpack FOLDER [--user NAME]                 put a tar.gz from standard input "
      "into FOLDER\n\n"
      "Servers:",
      to);
  for (const Entry& entry : kServers)
    std::fprintf(to, " %.*s", static_cast<int>(entry.name.size()), entry.name.data());
  std::fputs("\n\nExample:\n  viv-tools filesystem --workspace /data\n", to);
  return to == stdout ? 0 : 2;
}

int Serve(const Entry& entry, int count, char** words) {
  ToolServerOptions options;
  for (int i = 0; i + 1 < count; i += 2) {
    const std::string_view word = words[i];
    if (word == "--workspace") {
      options.workspace = words[i + 1];
    } else if (word == "--profile") {
      options.profile = words[i + 1];
    } else {
      return Help(stderr);
    }
  }
  if (count % 2 != 0) return Help(stderr);
  if (::chdir(options.workspace.c_str()) != 0) {
    std::fprintf(stderr, "viv-tools: cannot enter the workspace %s\n", options.workspace.c_str());
    return 1;
  }
  return ServeStdio(*entry.make(options), STDIN_FILENO, STDOUT_FILENO);
}

int Main(int count, char** words) {
  if (count < 2) return Help(stderr);
  const std::string_view name = words[1];
  if (name == "--help" || name == "-h" || name == "help") return Help(stdout);
  if (name == "pack") return RunPack(count - 2, words + 2);
  if (name == "unpack") return RunUnpack(count - 2, words + 2);
  for (const Entry& entry : kServers)
    if (entry.name == name) return Serve(entry, count - 2, words + 2);
  return Help(stderr);
}

}  // namespace
}  // namespace viv::tools

int main(int count, char** words) {
  return viv::tools::Main(count, words);
}
