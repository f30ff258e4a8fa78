#include "dialects/langsmith/secret_value.h"

#include "accounts/secret_references.h"
#include "base/text.h"

namespace viv::langsmith {
namespace {

// Text with at least one {NAME} or { NAME }, and no brace that belongs to none.
bool HasReferences(std::string_view text) {
  std::size_t references = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}') return false;
    if (text[at] != '{') continue;
    std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) return false;
    if (!accounts::IsSecretName(Trim(text.substr(at + 1, end - at - 1)))) return false;
    ++references;
    at = end;
  }
  return references > 0;
}

json::object StoreOpaque(Members& members, const json::value& kept, const AccountSealer& sealer) {
  json::object stored{{"type", "opaque"}};
  std::string text = members.Text("value", kSecretBytesMax).value_or("");
  std::string_view kept_seal = FindString(kept, "sealed");
  if (!text.empty()) {
    stored["sealed"] = sealer.Seal(text);
  } else if (!kept_seal.empty()) {
    stored["sealed"] = json::string(kept_seal);
  } else {
    members.Refuse("value", "an opaque value is required: there is no stored one to keep");
  }
  return stored;
}

}  // namespace

std::string WithPlainReferences(std::string_view text) {
  std::string plain;
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    plain.append(text.substr(0, open + 1));
    plain.append(Trim(text.substr(open + 1, close - open - 1))).append("}");
    text.remove_prefix(close + 1);
  }
  return plain.append(text);
}

AccountSealer AccountSealerOf(const accounts::Sealer& sealer, std::string_view account_id) {
  return {sealer, "langsmith.secret:" + std::string(account_id)};
}

json::object StoreSecret(Members& members,
                         const json::value& kept,
                         const AccountSealer& sealer,
                         Plaintext plaintext,
                         WorkspaceSecrets workspace_secrets) {
  std::string type = members.RequiredText("type", 64);
  if (type == "opaque") return StoreOpaque(members, kept, sealer);
  if (type == "plaintext" && plaintext == Plaintext::kAllowed) {
    std::optional<std::string> value = members.Text("value", kSecretBytesMax);
    if (!value) members.Refuse("value", "a plaintext value is required");
    return {{"type", "plaintext"}, {"value", value.value_or("")}};
  }
  if (type == "workspace_secret" && workspace_secrets == WorkspaceSecrets::kAllowed) {
    std::string value = members.RequiredText("value", kSecretBytesMax);
    if (!HasReferences(value))
      members.Refuse("value", "a text with a {NAME} reference to a workspace secret is expected");
    return {{"type", "workspace_secret"}, {"value", value}};
  }
  std::string allowed = "opaque";
  if (workspace_secrets == WorkspaceSecrets::kAllowed) allowed = "workspace_secret or " + allowed;
  if (plaintext == Plaintext::kAllowed) allowed = "plaintext, " + allowed;
  members.Refuse("type", "the type must be " + allowed);
  return {};
}

json::value WithoutSecrets(const json::value& stored) {
  if (const json::array* array = stored.if_array()) {
    json::array shown;
    for (const json::value& item : *array) shown.push_back(WithoutSecrets(item));
    return shown;
  }
  const json::object* object = stored.if_object();
  if (object == nullptr) return stored;
  json::object shown;
  for (const auto& [name, value] : *object) {
    // Variables and tags are the user's own words, whatever they are called.
    if (name == "sealed") {
      shown["is_set"] = true;
    } else {
      const bool own_words = name == "env_vars" || name == "session_tags";
      shown[name] = own_words ? value : WithoutSecrets(value);
    }
  }
  return shown;
}

Result<std::string> OpenSecret(const json::value& stored, const AccountSealer& sealer) {
  if (FindString(stored, "type") != "opaque") return std::string(FindString(stored, "value"));
  return sealer.sealer.Open(sealer.purpose, FindString(stored, "sealed"));
}

}  // namespace viv::langsmith
