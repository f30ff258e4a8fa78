#include "agent/files/sys.h"

namespace viv::agent {

tl::unexpected<Trouble> Failed(int code, std::string_view doing) {
  return Refused(code, std::string(doing) + ": " + ErrnoText(code));
}

tl::unexpected<Trouble> Refused(int code, std::string message) {
  return tl::unexpected<Trouble>(Trouble{code, std::move(message)});
}

tl::unexpected<Trouble> Because(Trouble trouble, std::string_view doing) {
  trouble.message.insert(0, std::string(doing) + ": ");
  return tl::unexpected<Trouble>(std::move(trouble));
}

}  // namespace viv::agent
