#include "dialects/e2b/create_request.h"

#include "base/text.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_config.h"
#include "dialects/e2b/template_name.h"
#include "http/fields.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kMetadataBytesMax = 64 * 1024;
constexpr std::size_t kVariablesBytesMax = 1024 * 1024;

std::size_t BytesOf(const std::map<std::string, std::string>& texts) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : texts) bytes += key.size() + value.size();
  return bytes;
}

std::map<std::string, std::string> ReadMetadata(http::Fields& fields) {
  std::map<std::string, std::string> metadata = fields.Texts("metadata");
  if (BytesOf(metadata) > kMetadataBytesMax) fields.Refuse("metadata: at most 64 KiB are kept");
  return metadata;
}

// Names become part of "NAME=value" blocks, so those that cannot stand there are refused.
std::map<std::string, std::string> ReadVariables(http::Fields& fields) {
  std::map<std::string, std::string> variables = fields.Texts("envVars");
  if (BytesOf(variables) > kVariablesBytesMax) fields.Refuse("envVars: at most 1 MiB is passed on");
  for (const auto& [name, value] : variables) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos || name.find('\n') != std::string::npos) {
      fields.Refuse("envVars: '" + Printable(name, 64) + "' is no name of a variable");
    }
    if (value.find('\0') != std::string::npos)
      fields.Refuse("envVars." + Printable(name, 64) + ": a value has no NUL characters");
  }
  return variables;
}

void ReadLifecycle(http::Fields& fields, boxes::CreateBox& box) {
  bool pause = fields.Flag("autoPause").value_or(false);
  bool keep_memory = fields.Flag("autoPauseMemory").value_or(true);
  if (const json::object* resume = fields.Object("autoResume")) {
    http::Fields inner(*resume, "autoResume");
    std::optional<bool> enabled = inner.Flag("enabled");
    if (inner.ok() && !enabled) inner.Refuse("autoResume.enabled: true or false is expected");
    if (!inner.ok()) fields.Refuse(inner.error().message);
    if (enabled.value_or(false)) box.wake = boxes::WakeOnTraffic::kPaused;
  }
  if (!keep_memory && !pause) {
    fields.Refuse("autoPauseMemory: false says how to pause, so it needs autoPause: true");
  }
  if (!keep_memory && box.wake != boxes::WakeOnTraffic::kNever) {
    fields.Refuse(
        "autoPauseMemory: false cannot be combined with autoResume: a sandbox without its memory "
        "is resumed by connect only");
  }
  box.on_timeout = !pause        ? boxes::OnTimeout::kKill
                   : keep_memory ? boxes::OnTimeout::kPause
                                 : boxes::OnTimeout::kStop;
}

void ReadNetworkOf(http::Fields& fields,
                   CreateVersion version,
                   const accounts::Sealer& secrets,
                   boxes::CreateBox& box) {
  std::optional<bool> internet = fields.Flag("allow_internet_access");
  const json::object* network = fields.Object("network");
  http::Fields inner(network == nullptr ? json::object() : *network, "network");
  AccountSealer sealer{secrets, box.account_id};
  box.network = ReadNetwork(inner, internet, sealer);
  if (!inner.ok()) fields.Refuse(inner.error().message);
  // The second version secures every sandbox.
  bool secure = fields.Flag("secure").value_or(false) || version == CreateVersion::kTwo;
  if (!box.network.public_traffic && !secure) {
    fields.Refuse("network.allowPublicTraffic: false needs a secured sandbox: set secure to true");
  }
}

// `mcp` is for the client's own gateway inside the sandbox; nothing here needs it.
void RefuseUnavailable(http::Fields& fields) {
  fields.Object("mcp");
  if (const json::object* iam = fields.Object("iam")) {
    http::Fields inner(*iam, "iam");
    const json::object* tokens = inner.Object("tokens");
    if (!inner.ok()) fields.Refuse(inner.error().message);
    if (tokens != nullptr && !tokens->empty())
      fields.Refuse("iam: workload identity is not available here; pass credentials in envVars");
  }
  const json::array* mounts = fields.Array("volumeMounts");
  if (mounts != nullptr && !mounts->empty()) {
    fields.Refuse(
        "invalid mounts: volumes are not available here; keep files in a paused sandbox or a "
        "snapshot instead");
  }
}

}  // namespace

std::int64_t ReadTimeout(http::Fields& fields, std::int64_t fallback) {
  std::int64_t timeout = fields.Integer("timeout").value_or(fallback);
  if (timeout <= 0) fields.Refuse("Timeout must be greater than 0");
  if (timeout > kTimeoutMaxSeconds) {
    fields.Refuse("Timeout cannot be greater than 24 hours (86400 seconds)");
  }
  return timeout;
}

Result<boxes::CreateBox> ReadCreateRequest(const http::Request& request,
                                           CreateVersion version,
                                           const accounts::Sealer& sealer) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  boxes::CreateBox box;
  box.account_id = request.identity.account_id;
  std::optional<std::string> name = fields.Text("templateID");
  if (!name || name->empty()) fields.Refuse("templateID: the name or id of a template is needed");
  box.timeout_seconds =
      ReadTimeout(fields, version == CreateVersion::kOne ? kTimeoutDefaultOld : kTimeoutDefault);
  box.metadata = ReadMetadata(fields);
  box.variables = ReadVariables(fields);
  ReadLifecycle(fields, box);
  ReadNetworkOf(fields, version, sealer, box);
  RefuseUnavailable(fields);
  RETURN_IF_ERROR(fields.status());
  ASSIGN_OR_RETURN(box.template_name, PlainTemplateName(box.account_id, *name));
  return box;
}

}  // namespace viv::e2b
