#include "cli/completion.h"

#include <fmt/format.h>

#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace viv::cli {
namespace {

struct KnownOption {
  std::string name;  // "--boxes"
  std::string about;
  bool takes_value = false;
  std::vector<std::string> choices;
};

struct KnownCommand {
  std::string path;                                           // "viv key create"
  std::vector<std::pair<std::string, std::string>> commands;  // and what each is about
  std::vector<KnownOption> options;
};

// "auto", "on" and "off" of "{auto,on,off}".
std::vector<std::string> ChoicesOf(const std::string& type) {
  std::size_t open = type.find('{');
  std::size_t close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  const std::string inside = type.substr(open + 1, close - open - 1);
  for (std::string_view choice : Split(inside, ',')) choices.emplace_back(choice);
  return choices;
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void Collect(const CLI::App& app, const std::string& path, std::vector<KnownCommand>& all) {
  KnownCommand known;
  known.path = path;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      known.options.push_back({"--" + name, FirstLine(option->get_description()),
                               option->get_items_expected_max() > 0,
                               ChoicesOf(option->get_type_name())});
  }
  for (const CLI::Option* option : app.get_options())  // one of a few words, such as a shell's name
    if (option->get_positional())
      for (const std::string& choice : ChoicesOf(option->get_type_name()))
        known.commands.emplace_back(choice, FirstLine(option->get_description()));
  auto shown = app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); });
  for (const CLI::App* command : shown)
    known.commands.emplace_back(command->get_name(), FirstLine(command->get_description()));
  all.push_back(std::move(known));
  for (const CLI::App* command : shown) Collect(*command, path + " " + command->get_name(), all);
}

// In single quotes, for all three shells.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

template <typename List, typename Text>
std::string JoinAll(const List& list, std::string_view between, Text text) {
  std::string out;
  for (const auto& it : list) out += (out.empty() ? "" : std::string(between)) + text(it);
  return out;
}

std::string Paths(const std::vector<KnownCommand>& all) {
  std::vector<std::string> paths;
  for (const KnownCommand& it : all)
    if (it.path.find(' ') != std::string::npos) paths.push_back(it.path);
  return JoinAll(paths, "|", Quoted);
}

// The arms of a `case "$at $previous"`: what comes after an option that takes a value.
std::string ValueArms(const std::vector<KnownCommand>& all,
                      const std::string& choices_form,
                      const std::string& file_arm) {
  std::string out;
  std::vector<std::string> others;
  for (const KnownCommand& command : all) {
    for (const KnownOption& option : command.options) {
      if (!option.takes_value) continue;
      const std::string at = Quoted(command.path + " " + option.name);
      if (option.choices.empty()) {
        others.push_back(at);
        continue;
      }
      auto same = [](const std::string& text) { return text; };
      out += "    " + at + ") " +
             fmt::format(fmt::runtime(choices_form), JoinAll(option.choices, " ", same)) + "\n";
    }
  }
  if (!others.empty())
    out += "    " + JoinAll(others, "|", [](const std::string& it) { return it; }) + ") " +
           file_arm + "\n";
  return out;
}

std::string Bash(const std::vector<KnownCommand>& all) {
  std::string arms;
  for (const KnownCommand& it : all) {
    arms += fmt::format(
        "    {}) commands={} options={} ;;\n", Quoted(it.path),
        Quoted(JoinAll(it.commands, " ", [](const auto& command) { return command.first; })),
        Quoted(JoinAll(it.options, " ", [](const KnownOption& option) { return option.name; })));
  }
  const std::string files =
      "compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); "
      "return ;;";
  return "# bash completion for viv, made by `viv completion bash`: source it, or put it into\n"
         "# /usr/share/bash-completion/completions/viv\n"
         "_viv() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} at=viv "
         "i commands= options=\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$at ${COMP_WORDS[i]}\" in\n"
         "      " +
         Paths(all) +
         ") at=\"$at ${COMP_WORDS[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$at $previous\" in\n" +
         ValueArms(all, "mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return ;;",
                   files) +
         "  esac\n"
         "  case \"$at\" in\n" +
         arms +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
         "  elif [[ -n $commands ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
         "  else\n"
         "    compopt -o filenames 2> /dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _viv viv\n";
}

// "name:about", as _describe reads it.
std::string Described(const std::string& name, const std::string& about) {
  std::string escaped;
  for (char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return Quoted(escaped + ":" + about);
}

std::string Zsh(const std::vector<KnownCommand>& all) {
  std::string arms;
  for (const KnownCommand& it : all) {
    arms += fmt::format(
        "    {}) commands=({}) options=({}) ;;\n", Quoted(it.path),
        JoinAll(it.commands, " ",
                [](const auto& command) { return Described(command.first, command.second); }),
        JoinAll(it.options, " ",
                [](const KnownOption& option) { return Described(option.name, option.about); }));
  }
  return "#compdef viv\n"
         "# zsh completion for viv, made by `viv completion zsh`: source it, or put it as _viv "
         "into a folder of $fpath\n"
         "_viv() {\n"
         "  local at=viv i\n"
         "  local -a commands options\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    case \"$at ${words[i]}\" in\n"
         "      " +
         Paths(all) +
         ") at=\"$at ${words[i]}\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$at ${words[CURRENT - 1]}\" in\n" +
         ValueArms(all, "compadd -- {}; return ;;", "_files; return ;;") +
         "  esac\n"
         "  case \"$at\" in\n" +
         arms +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then _describe option options\n"
         "  elif (( $#commands )); then _describe command commands\n"
         "  else _files\n"
         "  fi\n"
         "}\n"
         "if [[ ${funcstack[1]} == _viv ]]; then _viv \"$@\"; else compdef _viv viv; fi\n";
}

// fish ends a quoted text at a bare quote and knows the backslash inside.
std::string FishQuoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string Fish(const std::vector<KnownCommand>& all) {
  std::string paths;
  for (const KnownCommand& it : all)
    if (it.path.find(' ') != std::string::npos) paths += " " + FishQuoted(it.path);
  std::string out =
      "# fish completion for viv, made by `viv completion fish`: source it, or put it into\n"
      "# ~/.config/fish/completions/viv.fish\n"
      "function __viv_at\n"
      "  set -l at viv\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$at $word\"\n"
      "      case" +
      paths +
      "\n"
      "        set at \"$at $word\"\n"
      "    end\n"
      "  end\n"
      "  test \"$at\" = \"$argv[1]\"\n"
      "end\n";
  for (const KnownCommand& it : all) {
    const std::string when = "complete -c viv -n \"__viv_at '" + it.path + "'\"";
    for (const auto& [name, about] : it.commands)
      out += fmt::format("{} -f -a {} -d {}\n", when, name, FishQuoted(about));
    for (const KnownOption& option : it.options) {
      std::string value = option.takes_value ? " -r" : "";
      if (!option.choices.empty())
        value = " -x -a " + FishQuoted(JoinAll(option.choices, " ",
                                               [](const std::string& text) { return text; }));
      out += fmt::format("{} -l {}{} -d {}\n", when, option.name.substr(2), value,
                         FishQuoted(option.about));
    }
  }
  return out;
}

}  // namespace

Result<std::string> CompletionScript(const CLI::App& app, const std::string& shell) {
  std::vector<KnownCommand> all;
  Collect(app, app.get_name(), all);
  if (shell == "bash") return Bash(all);
  if (shell == "zsh") return Zsh(all);
  if (shell == "fish") return Fish(all);
  return Fail(ErrorCode::kInvalidArgument, "bash, zsh or fish is expected, not '" + shell + "'");
}

}  // namespace viv::cli
