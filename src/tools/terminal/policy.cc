#include "tools/terminal/policy.h"

namespace viv::tools::terminal {
namespace {

std::string Joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

std::string Seconds(const Policy& policy) {
  return std::to_string(policy.time_max.count());
}

// Reading alone: no operators, so a command stands by itself.
const Policy& Reading() {
  static const Policy kPolicy{.commands = {"cat", "find", "ls"}, .flags_shown = ""};
  return kPolicy;
}

const Policy& Working() {
  static const Policy kPolicy{
      .commands = {"awk",      "basename",   "cat",    "cd",      "chmod",    "clear",    "cp",
                   "curl",     "cut",        "date",   "df",      "diff",     "dirname",  "du",
                   "echo",     "env",        "file",   "find",    "git",      "grep",     "gunzip",
                   "gzip",     "head",       "helm",   "history", "hostname", "ifconfig", "kubectl",
                   "less",     "ls",         "md5sum", "mkdir",   "more",     "mv",       "netstat",
                   "nslookup", "ping",       "ps",     "pwd",     "python",   "realpath", "rm",
                   "sed",      "sha256sum",  "sort",   "stat",    "tail",     "tar",      "touch",
                   "tr",       "traceroute", "tree",   "uniq",    "unzip",    "wc",       "wget",
                   "which",    "whoami",     "zip"},
      .operators = Operators::kAllowed,
      .command_characters_max = 2048,
      .time_max = std::chrono::seconds(60),
      .output_characters_max = 8192,
      .error_characters_max = 2048};
  return kPolicy;
}

}  // namespace

const Policy& PolicyFor(std::string_view profile) {
  return profile == "MCP_Atlas" ? Reading() : Working();
}

std::string RulesText(const Policy& policy, const std::string& folder) {
  std::string text =
      "Security Configuration:\n"
      "==================\n"
      "Working Directory: " +
      folder +
      "\n\nAllowed Commands:\n"
      "----------------\n" +
      Joined(policy.commands) +
      "\n\nAllowed Flags:\n"
      "-------------\n" +
      std::string(policy.flags_shown) +
      "\n"
      "\nSecurity Limits:\n"
      "---------------\n"
      "Max Command Length: " +
      std::to_string(policy.command_characters_max) +
      " characters\n"
      "Command Timeout: " +
      Seconds(policy) + " seconds\n";
  if (policy.operators == Operators::kRefused) return text;
  text += "Max Stdout Length: " + std::to_string(policy.output_characters_max) +
          " characters\n"
          "Max Stderr Length: " +
          std::to_string(policy.error_characters_max) +
          " characters\n"
          "Shell Operators: Enabled\n"
          "\nProxy Configuration:\n"
          "-------------------\n"
          "Proxy Enabled: No\n"
          "Proxy URL: Not configured\n"
          "\nOutput Settings:\n"
          "---------------\n"
          "Truncate Message: ";
  text += kCutMark;
  return text + "\n";
}

std::string CommandDescription(const Policy& policy, const std::string& folder) {
  std::string text = "Runs one command line in " + folder +
                     " and returns what it wrote and its return code.\n\n" +
                     "Commands: " + Joined(policy.commands) +
                     "\nFlags: all\nPaths: only those that lie in " + folder + "\n";
  text += policy.operators == Operators::kAllowed
              ? "Operators: &&, ||, |, >, >>, <, << and ; join commands, each of which must be one "
                "of the "
                "above; do not use their characters inside quotes."
              : "Operators: none (no &&, ||, |, >, <, ;), and no shell: wildcards and variables "
                "are not "
                "expanded; use find with -name.";
  return text + "\nA command may take " + Seconds(policy) + " seconds.";
}

}  // namespace viv::tools::terminal
