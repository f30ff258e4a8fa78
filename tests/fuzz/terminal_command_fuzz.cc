// A command line is admitted or refused; what is admitted begins with a command of the policy, and
// what a policy without operators admits has none.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "fuzz_target.h"
#include "scratch_folder.h"
#include "tools/terminal/authorize.h"
#include "tools/terminal/output.h"
#include "tools/terminal/words.h"

FUZZ_TARGET(terminal_command)(const std::uint8_t* data, std::size_t size) {
  using viv::tools::terminal::PolicyFor;
  static const ScratchFolder scratch;
  const std::string line(reinterpret_cast<const char*>(data), size);
  const bool joined = !viv::tools::terminal::FirstOperator(line).empty();
  for (const char* profile : {"MCP_Atlas", "Toolathlon"}) {
    const auto& policy = PolicyFor(profile);
    auto words = viv::tools::terminal::Authorize(policy, scratch.path(), line);
    if (!words) {
      CHECK(!words.error().message.empty());
      continue;
    }
    CHECK(!joined || policy.operators == viv::tools::terminal::Operators::kAllowed);
    CHECK(joined ? words->back() == line
                 : std::count(policy.commands.begin(), policy.commands.end(), words->front()) == 1);
  }
  for (const auto& part : viv::tools::terminal::SplitAtOperators(line)) CHECK(!part.text.empty());
  auto text = viv::tools::terminal::DecodeOutput(line, viv::tools::terminal::Completeness::kCut);
  if (text) CHECK(text->size() <= size && text->find('\r') == std::string::npos);
  return 0;
}
