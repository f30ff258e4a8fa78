#include "tools/code_executor/handlers.h"
#include "tools/kit/node_exec.h"

namespace viv::tools::code_executor {
namespace {

constexpr std::size_t kPackagesMax = 100;

// Says for each module named in its argument whether it can be imported. What modules print while
// they are imported is kept out of the answer.
constexpr std::string_view kLookScript = R"py(
import contextlib, importlib, importlib.util, io, json, sys, warnings
warnings.simplefilter('ignore')
def look(name):
    try:
        if importlib.util.find_spec(name) is None:
            return {'installed': False, 'error': 'Package not found'}
        module = importlib.import_module(name)
    except ImportError as error:
        return {'installed': False, 'error': str(error)}
    except BaseException as error:
        return {'installed': False, 'error': 'Unexpected error: ' + str(error)}
    version = getattr(module, '__version__', None)
    if version is None:
        version = getattr(module, 'version', None)
    return {'installed': True, 'version': version, 'location': getattr(module, '__file__', None)}
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    found = {name: look(name) for name in json.loads(sys.argv[1])}
print(json.dumps(found, default=str))
)py";

json::object Problem(const EnvironmentConfig& config, std::string error) {
  return {{"status", "error"}, {"env_type", config.type}, {"error", AsUtf8(std::move(error))}};
}

// The words that install into the environment; pip's own options are not for callers.
Launch InstallCommand(const EnvironmentConfig& config, const std::vector<std::string>& packages) {
  std::string list;
  for (const std::string& package : packages) list += " " + package;
  std::vector<std::string> words;
  std::string shown;
  if (config.type == "conda") {
    words = {"conda", "install", "-y", "-n", config.conda_name.value_or("base")};
    shown = "conda install -y -n " + words.back() + list;
  } else {
    words = {"python3", "-m", "pip", "install"};
    shown = "pip install" + list;
  }
  words.insert(words.end(), packages.begin(), packages.end());
  return InEnvironment(config, std::move(words), shown);
}

// Nothing when all of them can be names of packages.
std::optional<std::string> RefusePackages(const std::vector<std::string>& packages) {
  if (packages.empty()) return "No packages specified";
  if (packages.size() > kPackagesMax)
    return "At most " + std::to_string(kPackagesMax) + " packages at once";
  for (const std::string& package : packages)
    if (package.empty() || package.starts_with("-") || package.find('\0') != std::string::npos)
      return "Invalid package name: '" + package + "'";
  return std::nullopt;
}

RunRequest PackageRequest(Launch& launch, const Context& context, const CallContext& call) {
  RunRequest request;
  request.arguments = std::move(launch.arguments);
  if (auto folder = context.storage.MakeFolder()) request.folder = *folder;
  request.cancelled = &call.cancelled;
  // Nobody answers questions; what the user installs goes to the user's own folder.
  request.variables = {{"PYTHONUNBUFFERED", "1"},
                       {"PIP_NO_INPUT", "1"},
                       {"PIP_DISABLE_PIP_VERSION_CHECK", "1"},
                       {"PIP_BREAK_SYSTEM_PACKAGES", "1"},
                       {"PIP_RETRIES", "2"},
                       {"PIP_DEFAULT_TIMEOUT", "15"}};
  return request;
}

}  // namespace

CallResult InstallDependencies(Context& context,
                               const Arguments& arguments,
                               const CallContext& call) {
  const std::vector<std::string> packages = arguments.Texts("packages");
  if (auto refusal = RefusePackages(packages))
    return Block({{"status", "error"}, {"error", *refusal}});
  const EnvironmentConfig config = context.environment.config();
  Launch launch = InstallCommand(config, packages);
  RunRequest request = PackageRequest(launch, context, call);
  request.time_max = context.install_time_max;
  ExecResult end = Exec(std::move(request), launch.shown);
  if (!end.failure.empty()) {
    if (end.error.find("No module named pip") != std::string::npos)
      end.failure +=
          "This sandbox has no pip, so packages cannot be installed; "
          "check_installed_packages says which are there.";
    return Block(Problem(config, std::move(end.failure)));
  }
  json::object body{{"status", "success"},
                    {"env_type", config.type},
                    {"installed_packages", arguments.List("packages")},
                    {"output", AsUtf8(std::move(end.output))}};
  if (!end.error.empty()) body["warnings"] = AsUtf8(std::move(end.error));
  return Block(body);
}

CallResult CheckInstalledPackages(Context& context,
                                  const Arguments& arguments,
                                  const CallContext& call) {
  const std::vector<std::string> packages = arguments.Texts("packages");
  if (packages.empty()) return Block({{"status", "error"}, {"error", "No packages specified"}});
  if (auto refusal = RefusePackages(packages); refusal && packages.size() > kPackagesMax)
    return Block({{"status", "error"}, {"error", *refusal}});
  const EnvironmentConfig config = context.environment.config();
  Launch launch = InEnvironment(config,
                                {"python3", "-c", std::string(kLookScript),
                                 WriteJson(json::value(arguments.List("packages")))},
                                "python3 -u check_packages.py");
  RunRequest request = PackageRequest(launch, context, call);
  request.time_max = context.run_time_max;
  ExecResult end = Exec(std::move(request), launch.shown);
  if (!end.failure.empty()) return Block(Problem(config, std::move(end.failure)));
  auto found = ParseJson(end.output);
  if (!found || !found->is_object())
    return Block(Problem(config, "the check said nothing that can be read: " + end.error));
  json::array missing;
  for (const auto& [name, details] : found->get_object()) {
    const json::value* installed = Find(details, "installed");
    if (installed == nullptr || !installed->is_bool() || !installed->get_bool())
      missing.emplace_back(name);
  }
  return Block({{"status", "success"},
                {"env_type", config.type},
                {"all_installed", missing.empty()},
                {"not_installed", missing},
                {"package_details", *std::move(found)}});
}

}  // namespace viv::tools::code_executor
