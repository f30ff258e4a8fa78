#include "tools/code_runner/code_runner.h"

#include "tools/code_runner/languages.h"
#include "tools/code_runner/snippet.h"
#include "tools/kit/node_exec.h"

namespace viv {
extern const std::string_view kCodeRunnerTools;
}

namespace viv::tools {
namespace {

using code_runner::Language;

constexpr std::chrono::seconds kRunTimeMax{300};

ToolResult Missing(const Language& language, const std::string& program, const std::string& shown) {
  return ErrorText("Error: Command failed: " + shown + "\n/bin/sh: 1: " + program +
                   ": not found\nThe program '" + program + "', which runs " +
                   std::string(language.id) +
                   ", is not installed in this sandbox. Languages that can run here: " +
                   code_runner::LanguagesThere());
}

CallResult RunCode(const std::string& folder,
                   const Arguments& arguments,
                   const CallContext& context) {
  const std::string code = arguments.Text("code");
  if (code.empty()) return ErrorText("Code is required.");
  const std::string id = arguments.Text("languageId");
  const Language* language = code_runner::FindLanguage(id);
  if (language == nullptr) return ErrorText("Language '" + id + "' is not supported.");
  auto snippet = code_runner::Snippet::Write(code, language->extension);
  if (!snippet) return ErrorText("Error: " + snippet.error().message);
  RunRequest request;
  request.arguments = code_runner::CommandOf(*language);
  std::string shown;
  for (const std::string& word : request.arguments) shown += word + " ";
  shown += "\"" + snippet->path() + "\"";
  if (!code_runner::IsThere(*language)) return Missing(*language, request.arguments.front(), shown);
  request.arguments.push_back(snippet->path());
  request.folder = folder;
  request.time_max = kRunTimeMax;
  request.cancelled = &context.cancelled;
  ExecResult end = Exec(std::move(request), shown);
  if (!end.failure.empty()) return ErrorText("Error: " + std::move(end.failure));
  if (!end.error.empty()) return ErrorText("Stderr: " + std::move(end.error));
  return Text(std::move(end.output));
}

}  // namespace

std::unique_ptr<ToolServer> MakeCodeRunner(const ToolServerOptions& options) {
  ServerInfo info{.name = "Code Runner",
                  .version = "1.0.0",
                  .instructions = "",
                  .errors = ArgumentErrors::kZod};
  auto server = std::make_unique<ToolServer>(std::move(info), kCodeRunnerTools);
  server->On(
      "run-code",
      [folder = options.workspace](const Arguments& arguments, const CallContext& context) {
        return RunCode(folder, arguments, context);
      },
      Concurrency::kParallel);
  return server;
}

}  // namespace viv::tools
