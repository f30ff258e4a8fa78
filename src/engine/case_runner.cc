#include "engine/case_runner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "base/ids.h"
#include "base/text.h"
#include "engine/world.h"

namespace viv::engine {
namespace {

namespace fs = std::filesystem;

// Thrown by a command that does not hold; caught once per case.
struct Mismatch {
  std::string message;
};

struct Command {
  int line;
  std::string word;
  std::string rest;
};

// Whether a command's JSON goes on in the next line: it has begun and is not whole yet. A variable
// stands for a number or for a part of a string, so that a digit can stand in for it here.
bool IsOpenJson(const Command& command) {
  bool has_word_first = command.word == "call" || command.word == "refuse";
  bool has_json = has_word_first || command.word == "ok" || command.word == "load" ||
                  command.word == "dump" || command.word == "changed";
  std::string_view text = command.rest;
  if (has_word_first) text.remove_prefix(std::min(text.find_first_of(" \n"), text.size()));
  text = Trim(text);
  if (!has_json || (!text.starts_with('{') && !text.starts_with('['))) return false;
  std::string filled(text);
  for (std::size_t at = filled.find("${"); at != std::string::npos; at = filled.find("${", at)) {
    std::size_t end = filled.find('}', at);
    if (end == std::string::npos) break;
    filled.replace(at, end - at + 1, "0");
  }
  return !ParseJson(filled, 512).has_value();
}

// Lines to commands: a line that continues JSON begun above is joined to it.
std::vector<Command> ReadCommands(const std::string& file) {
  std::vector<Command> commands;
  std::ifstream in(file);
  std::string line;
  int number = 0;
  bool open = false;
  while (std::getline(in, line)) {
    ++number;
    std::string_view trimmed = Trim(line);
    if (open) {
      commands.back().rest += "\n" + line;
    } else {
      if (trimmed.empty() || trimmed.starts_with('#')) continue;
      std::size_t space = trimmed.find(' ');
      std::string_view rest =
          space == std::string_view::npos ? std::string_view() : Trim(trimmed.substr(space));
      commands.push_back({number, std::string(trimmed.substr(0, space)), std::string(rest)});
    }
    open = IsOpenJson(commands.back());
  }
  return commands;
}

// SQLite's JSON paths for objects and lists: $.a.b[0], [#-1] from the end.
const json::value* FollowPath(const json::value& value, std::string_view path) {
  const json::value* at = &value;
  if (!path.starts_with('$')) return nullptr;
  path.remove_prefix(1);
  while (!path.empty() && at != nullptr) {
    if (path.front() == '.') {
      path.remove_prefix(1);
      std::size_t end = std::min(path.find_first_of(".["), path.size());
      at = Find(*at, path.substr(0, end));
      path.remove_prefix(end);
    } else {
      std::size_t end = path.find(']');
      if (path.front() != '[' || end == std::string_view::npos || !at->is_array()) return nullptr;
      std::string index(path.substr(1, end - 1));
      const json::array& list = at->get_array();
      std::size_t from_end =
          index.starts_with("#-") ? std::strtoul(index.c_str() + 2, nullptr, 10) : 0;
      std::size_t i =
          from_end > 0 ? list.size() - from_end : std::strtoul(index.c_str(), nullptr, 10);
      at = i < list.size() ? &list[i] : nullptr;
      path.remove_prefix(end + 1);
    }
  }
  return at;
}

class CaseRunner {
 public:
  CaseRunner(const LoadedAppPtr& loaded,
             std::string scratch,
             CaseReport& report,
             const CallObserver& observer)
      : loaded_(loaded), scratch_(std::move(scratch)), report_(report), observer_(observer) {}

  void RunFile(const std::string& file) {
    std::vector<Command> commands = ReadCommands(file);
    std::size_t i = 0;
    while (i < commands.size()) {
      std::size_t end = i + 1;
      while (end < commands.size() && commands[end].word != "test") ++end;
      RunCase(file, commands, i, end);
      i = end;
    }
  }

 private:
  void RunCase(const std::string& file,
               const std::vector<Command>& commands,
               std::size_t begin,
               std::size_t end) {
    const Command* at = &commands[begin];
    std::string name = at->rest;
    try {
      if (at->word != "test") throw Mismatch{"a file begins with: test NAME"};
      Start("default");
      for (std::size_t i = begin + 1; i < end; ++i) {
        at = &commands[i];
        RunCommand(*at);
      }
      ++report_.passed;
    } catch (const Mismatch& mismatch) {
      report_.failures.push_back({file, at->line, name, mismatch.message});
    }
    if (world_) (void)world_->Remove();
    world_.reset();
  }

  void Start(const std::string& profile) {
    profile_ = loaded_->app->profile(profile).name;
    if (profile_ != profile) throw Mismatch{"there is no profile " + profile};
    world_ = std::make_unique<World>(loaded_, profile, scratch_ + "/" + RandomUuid());
    variables_.clear();
    StartClock();
  }

  // Cases show fixed times, in profiles that follow the real one as well.
  void StartClock() {
    if (loaded_->app->profile(profile_).clock != ClockMode::kReal) return;
    Must(world_->SetClock(ClockMode::kTick, loaded_->app->clock_start_ms));
  }

  void RunCommand(const Command& command) {
    std::string rest = Expand(command.rest);
    if (command.word == "profile") return Start(rest);
    if (command.word == "load") return Load(Json(rest));
    if (command.word == "refuse") return Refuse(rest);
    if (command.word == "call") return Call(rest);
    if (command.word == "ok") return ExpectOk(rest);
    if (command.word == "text") return ExpectText(rest);
    if (command.word == "error") return ExpectError(rest);
    if (command.word == "let") return Let(rest);
    if (command.word == "count") return Count(rest);
    if (command.word == "dump") return Dump(Json(rest));
    if (command.word == "changed") return Changed(Json(rest));
    if (command.word == "reset") {
      Must(world_->Reset());
      return StartClock();
    }
    throw Mismatch{"unknown command '" + command.word + "'"};
  }

  static void Must(const Status& status) {
    if (!status) throw Mismatch{status.error().message};
  }

  static json::value Json(const std::string& text) {
    auto value = ParseJson(text, 512);
    if (!value) throw Mismatch{value.error().message};
    return std::move(*value);
  }

  std::string Expand(std::string text) const {
    for (const auto& [name, value] : variables_) {
      std::string mark = "${" + name + "}";
      for (std::size_t at = text.find(mark); at != std::string::npos;
           at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
      }
    }
    return text;
  }

  void Load(const json::value& document) {
    std::vector<Problem> problems = CheckDocument(loaded_->app->model, document);
    if (!problems.empty()) {
      throw Mismatch{LocationText(problems.front()) + ": " + problems.front().message};
    }
    auto report = world_->Initialize(World::StartFrom::kEmpty, document);
    if (!report) throw Mismatch{report.error().message};
    StartClock();
  }

  // A document that must not be accepted: by its shape, or (place "-") by a constraint while it is
  // loaded.
  void Refuse(const std::string& rest) {
    std::size_t space = rest.find_first_of(" \n");
    if (space == std::string::npos) throw Mismatch{"refuse PLACE DOCUMENT is expected"};
    json::value document = Json(rest.substr(space));
    std::vector<Problem> problems = CheckDocument(loaded_->app->model, document);
    std::string places;
    for (const Problem& problem : problems) places += LocationText(problem) + "\n";
    if (problems.empty()) {
      if (world_->Initialize(World::StartFrom::kEmpty, document))
        throw Mismatch{"the document was accepted"};
      places = "-\n";
    }
    if (("\n" + places).find("\n" + rest.substr(0, space) + "\n") == std::string::npos) {
      throw Mismatch{"it was refused for something else: " + places};
    }
  }

  void Call(const std::string& rest) {
    std::size_t space = rest.find_first_of(" \n");
    tool_ = rest.substr(0, space);
    json::value arguments = space == std::string::npos ? json::object() : Json(rest.substr(space));
    if (!arguments.is_object()) throw Mismatch{"arguments are a JSON object"};
    if (observer_) observer_(*world_, tool_, arguments.get_object());
    auto result = world_->Call(tool_, arguments.get_object(), 0);
    if (!result) throw Mismatch{result.error().message};
    result_ = std::move(*result);
  }

  const ToolResult& Success() {
    if (result_.is_error) throw Mismatch{tool_ + " failed: " + result_.text};
    report_.succeeded.insert(profile_ + "/" + tool_);
    return result_;
  }

  json::value AnswerJson() { return Json(Success().text); }

  void ExpectOk(const std::string& rest) {
    Success();
    if (rest.empty()) return;
    std::string mismatch = FindMismatch(Json(rest), AnswerJson());
    if (!mismatch.empty()) throw Mismatch{mismatch + "\n  in the answer: " + result_.text};
  }

  void ExpectText(const std::string& rest) {
    if (Success().text.find(rest) == std::string::npos)
      throw Mismatch{"the text '" + rest + "' is not in: " + result_.text};
  }

  void ExpectError(const std::string& rest) {
    if (!result_.is_error) throw Mismatch{"it should fail, but answered: " + result_.text};
    if (result_.text.find(rest) == std::string::npos)
      throw Mismatch{"the error '" + rest + "' is not in: " + result_.text};
    report_.failed_as_expected.insert(profile_ + "/" + tool_);
  }

  void Let(const std::string& rest) {
    std::size_t space = rest.find(' ');
    json::value result = AnswerJson();
    const json::value* value = space == std::string::npos
                                   ? nullptr
                                   : FollowPath(result, Trim(std::string_view(rest).substr(space)));
    if (value == nullptr) throw Mismatch{"there is no such value in: " + result_.text};
    variables_[rest.substr(0, space)] =
        value->is_string() ? std::string(value->get_string()) : WriteJson(*value);
  }

  void Count(const std::string& rest) {
    std::size_t space = rest.find(' ');
    json::value result = AnswerJson();
    std::string_view path =
        space == std::string::npos ? "$" : Trim(std::string_view(rest).substr(space));
    const json::value* value = FollowPath(result, path);
    if (value == nullptr || !value->is_array())
      throw Mismatch{"there is no list there in: " + result_.text};
    std::string count = std::to_string(value->get_array().size());
    if (count != rest.substr(0, space)) throw Mismatch{"it has " + count + " items"};
  }

  void Dump(const json::value& expected) {
    auto dump = world_->Dump(DumpForm::kVendor);
    if (!dump) throw Mismatch{dump.error().message};
    std::string mismatch = FindMismatch(expected, *dump);
    if (!mismatch.empty()) throw Mismatch{mismatch + "\n  in the dump: " + PrettyJson(*dump)};
  }

  void Changed(const json::value& expected) {
    auto diff = world_->Diff();
    if (!diff) throw Mismatch{diff.error().message};
    std::string mismatch = FindMismatch(expected, diff->at("summary"));
    if (!mismatch.empty()) throw Mismatch{mismatch + "\n  in the diff: " + PrettyJson(*diff)};
  }

  const LoadedAppPtr& loaded_;
  std::string scratch_;
  CaseReport& report_;
  const CallObserver& observer_;
  std::unique_ptr<World> world_;
  std::string profile_;
  std::string tool_;
  ToolResult result_;
  std::map<std::string, std::string> variables_;
};

std::string MismatchAt(const json::value& expected,
                       const json::value& actual,
                       const std::string& path);

std::string ArrayMismatch(const json::array& expected,
                          const json::value& actual,
                          const std::string& path) {
  const json::array* list = actual.if_array();
  if (list == nullptr) return path + ": a list is expected, not " + WriteJson(actual);
  bool more = !expected.empty() && expected.back() == "...";
  std::size_t count = expected.size() - (more ? 1 : 0);
  if (more ? list->size() < count : list->size() != count) {
    return path + ": " + std::to_string(count) + " items are expected, there are " +
           std::to_string(list->size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::string found = MismatchAt(expected[i], (*list)[i], path + "[" + std::to_string(i) + "]");
    if (!found.empty()) return found;
  }
  return "";
}

std::string MismatchAt(const json::value& expected,
                       const json::value& actual,
                       const std::string& path) {
  if (expected == "*") return "";
  if (const json::array* list = expected.if_array()) return ArrayMismatch(*list, actual, path);
  if (const json::object* object = expected.if_object()) {
    if (!actual.is_object()) return path + ": an object is expected, not " + WriteJson(actual);
    for (const auto& member : *object) {
      const json::value* found = Find(actual, member.key());
      std::string below = path + "." + std::string(member.key());
      if (found == nullptr) return below + ": missing";
      std::string mismatch = MismatchAt(member.value(), *found, below);
      if (!mismatch.empty()) return mismatch;
    }
    return "";
  }
  bool same = expected.is_number() && actual.is_number()
                  ? expected.to_number<double>() == actual.to_number<double>()
                  : expected == actual;
  return same ? "" : path + ": expected " + WriteJson(expected) + ", got " + WriteJson(actual);
}

}  // namespace

std::string FindMismatch(const json::value& expected, const json::value& actual) {
  return MismatchAt(expected, actual, "$");
}

CaseReport RunCases(const LoadedAppPtr& loaded,
                    const std::string& scratch_directory,
                    const std::string& only,
                    const CallObserver& observer) {
  CaseReport report;
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(loaded->app->folder + "/tests", error)) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".case" && name.find(only) != std::string::npos)
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  CaseRunner runner(loaded, scratch_directory, report, observer);
  for (const std::string& file : files) runner.RunFile(file);
  return report;
}

}  // namespace viv::engine
