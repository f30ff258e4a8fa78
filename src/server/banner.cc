#include "server/banner.h"

#include <fmt/format.h>

#include <cstdio>

namespace viv::server {
namespace {

std::string BoxLines(const Banner& banner, const std::string& url) {
  if (!banner.no_boxes.empty()) return fmt::format("  E2B     {}\n", banner.no_boxes);
  return fmt::format(
      "  E2B     npm install e2b, then\n"
      "            export E2B_API_KEY={0} E2B_API_URL={1} E2B_SANDBOX_URL={1}\n"
      "            const box = await Sandbox.create();\n"
      "            console.log((await box.commands.run('echo hello')).stdout);\n"
      "  shell     viv shell\n",
      banner.key, url);
}

}  // namespace

void PrintBanner(const Banner& banner) {
  std::string host =
      banner.address.find(':') != std::string::npos ? "[" + banner.address + "]" : banner.address;
  std::string url = fmt::format("{}://{}:{}", banner.secure ? "https" : "http", host, banner.port);
  fmt::print(
      "\n"
      "  Vivarium is ready at {0}   ({1} apps, data in {2})\n"
      "\n"
      "  key     {3}\n"
      "\n"
      "  Klavis  npm install klavis, then\n"
      "            const klavis = new KlavisClient({{ apiKey: '{3}', baseUrl: '{0}' }});\n"
      "            const sandbox = await klavis.sandbox.createSandbox('slack');\n"
      "  curl      curl -X POST {0}/sandbox/slack -H 'Authorization: Bearer {3}'\n"
      "{4}"
      "\n"
      "  Stop with Ctrl-C. `viv --help` shows what else there is.\n\n",
      url, banner.apps, banner.data, banner.key, BoxLines(banner, url));
  std::fflush(stdout);
}

void PrintFirstStart() {
  fmt::print("First start: making the apps' seed data, a few seconds …\n");
  std::fflush(stdout);
}

}  // namespace viv::server
