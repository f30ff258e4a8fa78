#include "cli/accounts.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/account_limits.h"
#include "cli/box_commands.h"
#include "cli/output.h"
#include "cli/print_error.h"

namespace viv::cli {
namespace {

using NamesById = std::map<std::string, std::string, std::less<>>;

Result<NamesById> OrganizationNames(const Remote& remote) {
  ASSIGN_OR_RETURN(json::value response, CallServer(remote, "GET", "/api/viv/organizations"));
  NamesById names;
  for (const json::value& it : response.at("organizations").as_array())
    names.emplace(FindString(it, "id"), FindString(it, "name"));
  return names;
}

}  // namespace

struct AccountCommandOptions {
  std::string name;
  std::string organization;
  std::shared_ptr<LimitCommandOptions> limits;
};

int CreateOrganization(const Remote& remote, const std::string& name) {
  auto made =
      CallServer(remote, "POST", "/api/viv/organizations", WriteJson(json::object{{"name", name}}));
  if (!made) return PrintError(made.error());
  fmt::print("{}\n", FindString(*made, "id"));
  return 0;
}

int ListOrganizations(const Remote& remote) {
  auto response = CallServer(remote, "GET", "/api/viv/organizations");
  if (!response) return PrintError(response.error());
  if (remote.json) return PrintJson(response->at("organizations"));
  auto accounts = CallServer(remote, "GET", "/api/viv/accounts");
  if (!accounts) return PrintError(accounts.error());
  std::map<std::string, std::size_t, std::less<>> members;
  for (const json::value& it : accounts->at("accounts").as_array())
    ++members[std::string(FindString(it, "organization_id"))];
  fmt::print("{:<36}  {:<24}  {:>8}  {}\n", "ID", "NAME", "ACCOUNTS", "CREATED");
  for (const json::value& it : response->at("organizations").as_array())
    fmt::print("{:<36}  {:<24}  {:>8}  {}\n", FindString(it, "id"), FindString(it, "name"),
               members[std::string(FindString(it, "id"))],
               FindString(it, "created_at").substr(0, 19));
  return 0;
}

int CreateAccount(const Remote& remote, const std::string& name, const std::string& organization) {
  json::object body{{"name", name}};
  if (!organization.empty()) body["organization"] = organization;
  auto made = CallServer(remote, "POST", "/api/viv/accounts", WriteJson(body));
  if (!made) return PrintError(made.error());
  fmt::print("{}\n", FindString(*made, "key"));
  fmt::print(stderr, "This is the only time the account's key is shown; the account's id is {}.\n",
             FindString(*made, "id"));
  return 0;
}

int ListAccounts(const Remote& remote) {
  auto response = CallServer(remote, "GET", "/api/viv/accounts");
  if (!response) return PrintError(response.error());
  if (remote.json) return PrintJson(response->at("accounts"));
  auto names = OrganizationNames(remote);
  if (!names) return PrintError(names.error());
  fmt::print("{:<36}  {:<24}  {:<24}  {}\n", "ID", "NAME", "ORGANIZATION", "CREATED");
  for (const json::value& it : response->at("accounts").as_array()) {
    auto organization = names->find(FindString(it, "organization_id"));
    fmt::print("{:<36}  {:<24}  {:<24}  {}\n", FindString(it, "id"), FindString(it, "name"),
               organization == names->end() ? "-" : organization->second,
               FindString(it, "created_at").substr(0, 19));
  }
  return 0;
}

int MoveAccount(const Remote& remote, const std::string& account, const std::string& organization) {
  auto moved = CallServer(remote, "POST",
                          "/api/viv/organizations/" + PercentEncode(organization) + "/accounts",
                          WriteJson(json::object{{"account", account}}));
  if (!moved) return PrintError(moved.error());
  fmt::print("{} belongs to {} now\n", account, organization);
  return 0;
}

std::shared_ptr<AccountCommandOptions> AddAccountCommands(CLI::App& app,
                                                          Remote& remote,
                                                          int& code) {
  auto o = std::make_shared<AccountCommandOptions>();
  auto add = [&](CLI::App& parent, const char* name, const char* about, std::function<int()> run) {
    CLI::App* command = parent.add_subcommand(name, about);
    AddRemoteOptions(*command, remote);
    command->callback([&code, run = std::move(run)] { code = run(); });
    return command;
  };
  const char* whose = "An organization, by name or id";
  const char* who = "An account, by name or id";

  CLI::App* org = app.add_subcommand(
      "org", "Organizations: their accounts may use each other's sandboxes and repositories");
  org->footer("\nExamples:\n  viv org create research\n  viv org add research alice\n  viv org ls");
  CLI::App* org_create = add(*org, "create", "Create an organization and print its id",
                             [&remote, o] { return CreateOrganization(remote, o->name); });
  org_create->add_option("name", o->name, "Its name")->required();
  org_create->footer("\nExample:\n  viv org create research");
  CLI::App* org_ls =
      add(*org, "ls", "List the organizations", [&remote] { return ListOrganizations(remote); });
  AddJsonFlag(*org_ls, remote);
  org_ls->footer("\nExample:\n  viv org ls");
  CLI::App* org_add = add(*org, "add", "Move an account to an organization",
                          [&remote, o] { return MoveAccount(remote, o->name, o->organization); });
  org_add->add_option("organization", o->organization, whose)->required();
  org_add->add_option("account", o->name, who)->required();
  org_add->footer("\nExample:\n  viv org add research alice");

  CLI::App* account = app.add_subcommand("account", "Accounts: each has its keys and sandboxes");
  account->footer(
      "\nExamples:\n  viv account create alice --org research\n  viv account add alice --org "
      "research\n  viv account ls\n  viv account limits alice --boxes 50");
  CLI::App* create =
      add(*account, "create", "Create an account and print its first key; it is shown only once",
          [&remote, o] { return CreateAccount(remote, o->name, o->organization); });
  create->add_option("name", o->name, "Its name")->required();
  create->add_option("--org", o->organization,
                     "Its organization, by name or id; default: a new one");
  create->footer(
      "\nExamples:\n  viv account create alice --org research\n  KEY=$(viv account create ci)");
  CLI::App* ls =
      add(*account, "ls", "List the accounts", [&remote] { return ListAccounts(remote); });
  AddJsonFlag(*ls, remote);
  ls->footer("\nExample:\n  viv account ls");
  CLI::App* move = add(*account, "add", "Move an account to an organization",
                       [&remote, o] { return MoveAccount(remote, o->name, o->organization); });
  move->add_option("account", o->name, who)->required();
  move->add_option("--org", o->organization, whose)->required();
  move->footer("\nExample:\n  viv account add alice --org research");
  o->limits = AddLimitCommand(*account, remote, code);
  return o;
}

}  // namespace viv::cli
