#pragma once
// Runs an app's .case files: calls on a fresh world and what they must answer. An author of apps
// needs nothing else. A line is a comment (#) or one command; a JSON value may go on over several
// lines.
//
//   test a message can be posted          starts a case, on a fresh world
//   profile MCP_Atlas                     the world's profile (right after test)
//   load {"channels": [...]}              initialize: an empty account with this document
//   refuse channels[0].name {...}         initialize refuses this document, naming that place
//   call slack_post {"text": "hi"}        runs a tool; the lines below look at its answer
//   ok {"ok": true, "ts": "*"}            it succeeded, and its JSON contains this: members may be
//   missing here, "*" stands for
//                                         anything, "..." at a list's end for more items; ok alone:
//                                         any success
//   text hello                            it succeeded, and its text contains this
//   error channel_not_found               it failed, and its text contains this
//   let ts $.ts                           keeps a value of the answer (SQLite JSON path); "${ts}"
//   stands for it later count 3 $.messages                    a list of the answer has that many
//   items dump {"channels": [...]}              the world's dump contains this reset the world goes
//   back to its seed changed {"inserted": 1}               the summary of the world's diff contains
//   this

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/catalogue.h"

namespace viv::engine {

class World;

struct CaseFailure {
  std::string file;
  int line = 0;
  std::string test;
  std::string message;
};

struct CaseReport {
  int passed = 0;
  std::vector<CaseFailure> failures;
  // "profile/tool", of the tools that were seen to succeed and to fail as expected.
  std::set<std::string> succeeded;
  std::set<std::string> failed_as_expected;
};

// Told of each call just before it is made: for measurements.
using CallObserver =
    std::function<void(const World& world, const std::string& tool, const json::object& arguments)>;

// Runs every file of the app's tests/ folder whose name contains `only`.
CaseReport RunCases(const LoadedAppPtr& loaded,
                    const std::string& scratch_directory,
                    const std::string& only = "",
                    const CallObserver& observer = nullptr);

// Whether `actual` contains `expected`, in the sense of `ok` above; otherwise where and how it
// differs.
std::string FindMismatch(const json::value& expected, const json::value& actual);

}  // namespace viv::engine
