#include "server/banner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace viv::server {
namespace {

std::string BoxLines(const Banner& banner, const std::string& url, const std::string& key) {
  if (!banner.no_boxes.empty()) return fmt::format("  E2B     {}\n", banner.no_boxes);
  return fmt::format(
      "  E2B     npm install e2b, then\n"
      "            export E2B_API_KEY={0} E2B_API_URL={1} E2B_SANDBOX_URL={1}\n"
      "            const box = await Sandbox.create();\n"
      "            console.log((await box.commands.run('echo hello')).stdout);\n"
      "  shell     viv shell\n",
      key, url);
}

// Where the key is, or the key itself.
std::string KeyLines(const Banner& banner) {
  if (banner.key.empty())
    return fmt::format("the key in {} was revoked; use another key", banner.key_file);
  if (banner.key_file.empty())
    return banner.to_terminal ? banner.key : "the key that was given to the server";
  std::string text = banner.to_terminal ? banner.key : "in " + banner.key_file;
  // Root's folder is closed to whoever typed sudo.
  if (!banner.sudo_user.empty()) {
    text += fmt::format("\n          as {}: export VIV_API_KEY=$(sudo cat {})", banner.sudo_user,
                        banner.key_file);
  } else if (!banner.to_terminal) {
    text += fmt::format(": KEY=$(cat {})", banner.key_file);
  }
  return text;
}

}  // namespace

std::string BannerText(const Banner& banner) {
  std::string host =
      banner.address.find(':') != std::string::npos ? "[" + banner.address + "]" : banner.address;
  std::string url = fmt::format("{}://{}:{}", banner.secure ? "https" : "http", host, banner.port);
  const bool shown = banner.to_terminal && !banner.key.empty();
  const std::string in_shell = shown ? banner.key : "$KEY";
  const std::string in_js = shown ? "'" + banner.key + "'" : "process.env.KEY";
  return fmt::format(
      "\n"
      "  Vivarium is ready at {0}   ({1} apps, data in {2})\n"
      "\n"
      "  key     {3}\n"
      "\n"
      "  Klavis  npm install klavis, then\n"
      "            const klavis = new KlavisClient({{ apiKey: {4}, baseUrl: '{0}' }});\n"
      "            const sandbox = await klavis.sandbox.createSandbox('slack');\n"
      "  curl      curl -X POST {0}/sandbox/slack -H \"Authorization: Bearer {5}\"\n"
      "{6}"
      "\n"
      "  Stop with Ctrl-C. `viv --help` lists all commands.\n\n",
      url, banner.apps, banner.data, KeyLines(banner), in_js, in_shell,
      BoxLines(banner, url, in_shell));
}

void PrintBanner(Banner banner) {
  banner.to_terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* user = std::getenv("SUDO_USER");
  if (::geteuid() == 0 && user != nullptr && std::string(user) != "root") banner.sudo_user = user;
  fmt::print("{}", BannerText(banner));
  std::fflush(stdout);
}

void PrintFirstStart() {
  fmt::print("First start: creating the seed data of the apps, which takes a few seconds …\n");
  std::fflush(stdout);
}

void PrintBoxesKeptRunning(std::size_t count, const std::string& data) {
  if (count == 0) return;
  fmt::print(
      "\n  {} {} running: the next `viv serve` adopts them, `viv down --data {}` ends them.\n\n",
      count, count == 1 ? "box keeps" : "boxes keep", data);
  std::fflush(stdout);
}

}  // namespace viv::server
