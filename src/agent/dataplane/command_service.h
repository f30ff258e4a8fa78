#pragma once
// Starts and finds commands for the three protocols by which clients run them. An id names one
// process, however often it is requested.

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <tl/expected.hpp>

#include "agent/context.h"
#include "agent/dataplane/command.h"
#include "agent/dataplane/command_request.h"
#include "agent/dataplane/command_table.h"
#include "agent/process/reaper.h"
#include "agent/process/spawn_program.h"
#include "base/task_group.h"

namespace viv::agent {

struct CommandFailure {
  std::string type;  // "CommandError", "CommandNotFound" or "SessionExpired"
  std::string message;
};

template <typename T>
using CommandResult = tl::expected<T, CommandFailure>;

class CommandService {
 public:
  explicit CommandService(Context& context);

  // The command of that id, which is started if there is none.
  CommandResult<std::shared_ptr<Command>> GetOrStart(CommandRequest request,
                                                     asio::any_io_executor executor);
  CommandResult<std::shared_ptr<Command>> Find(const std::string& id);
  void Remove(const std::string& id) { table_->Remove(id); }
  std::size_t running() const { return table_->running(); }

 private:
  CommandResult<std::shared_ptr<Command>> Start(CommandRequest request,
                                                asio::any_io_executor executor);
  CommandResult<ProgramSpec> MakeProgramSpec(const CommandRequest& request);
  Status BeginReaping(asio::any_io_executor executor);

  Context& context_;
  const std::shared_ptr<CommandTable> table_;  // the tasks look whether it is still there
  std::shared_ptr<SharedReaper> reaper_;
  std::unique_ptr<TaskGroup> tasks_;  // ends first
};

CommandFailure CommandError(std::string message);

}  // namespace viv::agent
