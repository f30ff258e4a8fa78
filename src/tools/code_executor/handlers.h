#pragma once
// The tools. Each answers with one block of JSON, whose `isError` says how it went: on the block,
// where the original puts it, not on the answer.

#include <string>

#include "tools/code_executor/environment.h"
#include "tools/code_executor/storage.h"
#include "tools/kit/tool_server.h"

namespace viv::tools::code_executor {

struct Context {
  Context(Storage where, std::string folder, EnvironmentConfig config)
      : storage(std::move(where)), run_folder(std::move(folder)), environment(std::move(config)) {}

  Storage storage;
  std::string run_folder;  // the working directory of the code; empty: the storage's folder
  Environment environment;
  std::chrono::seconds run_time_max{300};
  std::chrono::seconds install_time_max{600};
};

CallResult Block(const json::object& body);  // an error by its "status"
CallResult Missing(std::string message);     // what is missing; a failure of the call itself

// run.cc
CallResult ExecuteCode(Context& context, const Arguments& arguments, const CallContext& call);
CallResult ExecuteCodeFile(Context& context, const Arguments& arguments, const CallContext& call);

// files.cc
CallResult InitializeCodeFile(Context& context,
                              const Arguments& arguments,
                              const CallContext& call);
CallResult AppendToCodeFile(Context& context, const Arguments& arguments, const CallContext& call);
CallResult ReadCodeFile(Context& context, const Arguments& arguments, const CallContext& call);

// packages.cc
CallResult InstallDependencies(Context& context,
                               const Arguments& arguments,
                               const CallContext& call);
CallResult CheckInstalledPackages(Context& context,
                                  const Arguments& arguments,
                                  const CallContext& call);

// code_executor.cc
CallResult ConfigureEnvironment(Context& context,
                                const Arguments& arguments,
                                const CallContext& call);
CallResult GetEnvironmentConfig(Context& context,
                                const Arguments& arguments,
                                const CallContext& call);

}  // namespace viv::tools::code_executor
