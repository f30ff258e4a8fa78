#include "agent/process/channels.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "agent/errno_text.h"
#include "agent/process/exit_status.h"

namespace viv::agent {
namespace {

tl::unexpected<Error> ChannelError(const char* doing, int error) {
  return Fail(IsResourceExhausted(error) ? ErrorCode::kLimitExceeded : ErrorCode::kInternal,
              std::string(doing) + ": " + ErrnoText(error));
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return ChannelError("create a pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void SetNonBlocking(const UniqueFd& file) {
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

// Opens a device if it really is the one: the box's /dev is the box's, and a fifo there must not
// hold us up.
UniqueFd OpenDevice(const char* path, int flags, dev_t device) {
  UniqueFd file(::open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return UniqueFd();
  bool genuine = S_ISCHR(info.st_mode) && info.st_rdev == device;
  if (!genuine) errno = ENODEV;
  return genuine ? std::move(file) : UniqueFd();
}

// Opens an empty input: /dev/null, or where that is missing a pipe without a writer.
Result<UniqueFd> OpenDevNull() {
  UniqueFd file = OpenDevice("/dev/null", O_RDONLY, makedev(1, 3));
  if (file) return file;
  ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  return std::move(pipe.read_end);
}

}  // namespace

bool IsResourceExhausted(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE ||
         error == ENOSPC;
}

Result<Channels> MakePipes(StandardInput input) {
  Channels channels;
  if (input == StandardInput::kPipe) {
    ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
    channels.child_input = std::move(pipe.read_end);
    channels.input = std::move(pipe.write_end);
    SetNonBlocking(channels.input);
  } else {
    ASSIGN_OR_RETURN(channels.child_input, OpenDevNull());
  }
  ASSIGN_OR_RETURN(Pipe output, MakePipe());
  channels.output = std::move(output.read_end);
  channels.child_output = std::move(output.write_end);
  SetNonBlocking(channels.output);
  ASSIGN_OR_RETURN(Pipe error, MakePipe());
  channels.error = std::move(error.read_end);
  channels.child_error = std::move(error.write_end);
  SetNonBlocking(channels.error);
  return channels;
}

Result<Channels> MakeTerminal(TerminalSize size, const User& owner) {
  Channels channels;
  channels.terminal = OpenDevice("/dev/ptmx", O_RDWR, makedev(5, 2));
  if (!channels.terminal) return ChannelError("open /dev/ptmx", errno);
  int unlocked = 0;
  if (::ioctl(channels.terminal.get(), TIOCSPTLCK, &unlocked) != 0) {
    return ChannelError("unlock the terminal", errno);
  }
  int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
  channels.child_input = UniqueFd(::ioctl(channels.terminal.get(), TIOCGPTPEER, flags));
  if (!channels.child_input) return ChannelError("open the terminal", errno);
  RETURN_IF_ERROR(ResizeTerminal(channels.terminal.get(), size));
  // A program may want to open its terminal by name; where that is not possible it still runs.
  if (::fchown(channels.child_input.get(), owner.uid, owner.gid) != 0) errno = 0;
  for (UniqueFd* end : {&channels.child_output, &channels.child_error}) {
    *end = UniqueFd(::fcntl(channels.child_input.get(), F_DUPFD_CLOEXEC, 3));
    if (!*end) return ChannelError("open the terminal", errno);
  }
  return channels;
}

Status ResizeTerminal(int terminal, TerminalSize size) {
  winsize window{};
  window.ws_col = size.columns;
  window.ws_row = size.rows;
  if (::ioctl(terminal, TIOCSWINSZ, &window) != 0) {
    return ChannelError("resize the terminal", errno);
  }
  return {};
}

}  // namespace viv::agent
