#include "agent/process/exit_status.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <string>

namespace viv::agent {
namespace {

std::string SignalText(int signal) {
  switch (signal) {
    case SIGHUP:
      return "hangup";
    case SIGINT:
      return "interrupt";
    case SIGQUIT:
      return "quit";
    case SIGILL:
      return "illegal instruction";
    case SIGTRAP:
      return "trace/breakpoint trap";
    case SIGABRT:
      return "aborted";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "floating point exception";
    case SIGKILL:
      return "killed";
    case SIGUSR1:
      return "user defined signal 1";
    case SIGUSR2:
      return "user defined signal 2";
    case SIGSEGV:
      return "segmentation fault";
    case SIGPIPE:
      return "broken pipe";
    case SIGALRM:
      return "alarm clock";
    case SIGTERM:
      return "terminated";
    case SIGSTKFLT:
      return "stack fault";
    case SIGXCPU:
      return "CPU time limit exceeded";
    case SIGXFSZ:
      return "file size limit exceeded";
    case SIGVTALRM:
      return "virtual timer expired";
    case SIGPROF:
      return "profiling timer expired";
    case SIGIO:
      return "I/O possible";
    case SIGPWR:
      return "power failure";
    case SIGSYS:
      return "bad system call";
    default:
      return "signal " + std::to_string(signal);
  }
}

}  // namespace

json::object EndEvent(int wait_status) {
  json::object event;
  bool exited = WIFEXITED(wait_status);
  event["exitCode"] = exited ? WEXITSTATUS(wait_status) : -1;
  event["exited"] = exited;
  std::string status = exited ? "exit status " + std::to_string(WEXITSTATUS(wait_status))
                              : "signal: " + SignalText(WTERMSIG(wait_status));
  if (!exited && WCOREDUMP(wait_status)) status += " (core dumped)";
  event["status"] = status;
  if (wait_status != 0) event["error"] = status;
  return event;
}

void LogProcessEnd(LogRing& logs, pid_t pid, int wait_status) {
  json::object fields = EndEvent(wait_status);
  fields["event_type"] = "process_end";
  fields["pid"] = pid;
  logs.Add(LogRing::Level::kInfo, "Process with pid " + std::to_string(pid) + " ended",
           std::move(fields));
}

}  // namespace viv::agent
