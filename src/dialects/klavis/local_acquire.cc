#include <algorithm>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_shapes.h"

namespace viv::klavis {
namespace {

constexpr std::int64_t kLocalTtlDefault = 7200;
constexpr std::int64_t kLocalTtlLeast = 60;
constexpr std::int64_t kLocalTtlMost = 86'400;
constexpr std::size_t kServerNamesMax = 1000;

json::array LocationOfName(std::size_t index) {
  return {json::string("body"), json::string("server_names"), index};
}

std::vector<std::string> NamesOnOffer(const LocalContext& context) {
  std::vector<std::string> names;
  for (const local::LocalServer& server : context.local.servers().List())
    names.push_back(server.name);
  return names;
}

void CheckServerName(const LocalContext& context,
                     Validator& validator,
                     std::size_t index,
                     const json::value& given) {
  const std::string_view name = given.is_string() ? View(given.get_string()) : "";
  if (context.local.servers().Find(name) != nullptr || local::IsVendorsLocalServer(name)) return;
  validator.AddChoice(LocationOfName(index), NamesOnOffer(context), given);
}

// A sandbox in which nothing works is of no use: the caller shall know at once.
void CheckSomeOnOffer(const LocalContext& context,
                      Validator& validator,
                      const std::vector<std::string>& names,
                      const json::value& given) {
  const local::LocalServers& servers = context.local.servers();
  const bool some = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return servers.Find(name) != nullptr;
  });
  if (some || !validator.ok()) return;
  validator.Add({json::string("body"), json::string("server_names")}, "not_offered",
                "none of these local servers is offered by this server yet: choose from " +
                    JoinWithOr(NamesOnOffer(context)),
                given);
}

// In their order, each once, also those of the vendor's that are not on offer. "ALL" are those that
// are.
std::vector<std::string> ReadServerNames(const LocalContext& context,
                                         Validator& validator,
                                         const json::value& body) {
  const json::array location{json::string("body"), json::string("server_names")};
  const json::value* given = Find(body, "server_names");
  std::vector<std::string> names;
  if (given == nullptr) {
    validator.Add(location, "missing", "Field required", body);
  } else if (given->is_string() && View(given->get_string()) == "ALL") {
    return context.local.servers().All();
  } else if (!given->is_array()) {
    validator.Add(location, "list_type", "Input should be a valid list or 'ALL'", *given);
  } else if (given->get_array().empty() || given->get_array().size() > kServerNamesMax) {
    validator.Add(location, "too_short", "List should have between 1 and 1000 items", *given);
  } else {
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
      const json::value& name = given->get_array()[i];
      CheckServerName(context, validator, i, name);
      if (!validator.ok() || !name.is_string()) continue;
      std::string text(name.get_string());
      if (std::find(names.begin(), names.end(), text) == names.end())
        names.push_back(std::move(text));
    }
    CheckSomeOnOffer(context, validator, names, *given);
  }
  return names;
}

// Absent means the default, null means that it has no end.
std::int64_t ReadLocalTtl(Validator& validator, const json::value& body) {
  if (Find(body, "ttl_seconds") == nullptr) return kLocalTtlDefault;
  return validator.Integer(body, "ttl_seconds", kLocalTtlLeast, kLocalTtlMost).value_or(0);
}

}  // namespace

Task<http::Response> AcquireLocalSandbox(LocalContext& context, http::Request& request) {
  Validator validator;
  const json::value body = validator.Body(request);
  if (validator.ok() && !body.is_object()) {
    if (body.is_null()) {
      validator.Add({json::string("body")}, "missing", "Field required", nullptr);
    } else {
      validator.Add({json::string("body")}, "model_attributes_type",
                    "Input should be a valid dictionary or object to extract fields from", body);
    }
  }
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  local::AcquireLocal acquire;
  acquire.account_id = request.identity.account_id;
  acquire.servers = ReadServerNames(context, validator, body);
  acquire.benchmark = validator.Choice(body, "benchmark", kBenchmarks).value_or("");
  acquire.ttl_seconds = ReadLocalTtl(validator, body);
  if (auto email = validator.Text(body, "test_account_email"))
    acquire.dialect_data["test_account_email"] = *email;
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box = co_await context.local.Acquire(std::move(acquire));
  if (!box) co_return RenderError(box.error());
  const std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(**box);
  json::object response{{"local_sandbox_id", boxes::UuidOfBox((*box)->id)},
                        {"status", json::string(LocalStatusOf(**box))},
                        {"benchmark", TextOrNull(annotation ? annotation->benchmark : "")},
                        {"servers", LocalServerItems(context, **box, BaseUrlOf(context, request))},
                        {"message", "Local sandbox environment acquired successfully"}};
  co_return http::Json(201, WriteJson(response));
}

}  // namespace viv::klavis
