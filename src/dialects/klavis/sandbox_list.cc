#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/validate.h"

namespace viv::klavis {
namespace {

struct TagFilter {
  std::optional<std::string> tag;  // one word
  json::value tags;                // an object or a list; null: any
};

bool ListHas(const json::array& list, std::string_view tag) {
  for (const json::value& item : list) {
    if (item.is_string() && View(item.get_string()) == tag) return true;
  }
  return false;
}

// Tags come as an object or as a list, and so do filters; "env:prod" in a list is what {"env":
// "prod"} is in an object.
bool HasPair(const json::value& tags, std::string_view key, const json::value& value) {
  if (const json::value* found = Find(tags, key)) return *found == value;
  if (!tags.is_array() || !value.is_string()) return false;
  return ListHas(tags.get_array(), std::string(key) + ":" + std::string(value.get_string()));
}

bool HasTag(const json::value& tags, std::string_view tag) {
  if (tags.is_array()) return ListHas(tags.get_array(), tag);
  if (!tags.is_object()) return false;
  for (const auto& member : tags.get_object()) {
    if (!member.value().is_string()) continue;
    std::string_view value = View(member.value().get_string());
    if (value == tag || std::string(member.key()) + ":" + std::string(value) == tag) return true;
  }
  return false;
}

bool Fits(const TagFilter& filter, const json::value& tags) {
  if (filter.tag && !HasTag(tags, *filter.tag)) return false;
  if (const json::object* pairs = filter.tags.if_object()) {
    for (const auto& pair : *pairs) {
      if (!HasPair(tags, pair.key(), pair.value())) return false;
    }
  }
  if (const json::array* words = filter.tags.if_array()) {
    for (const json::value& word : *words) {
      if (!word.is_string() || !HasTag(tags, View(word.get_string()))) return false;
    }
  }
  return true;
}

TagFilter ReadFilter(const http::Request& request, Validator& validator) {
  TagFilter filter;
  filter.tag = request.Query("tag");
  std::optional<std::string> text = request.Query("tags");
  if (!text || Trim(*text).empty()) return filter;
  auto tags = ParseJson(*text);
  if (tags && (tags->is_object() || tags->is_array())) {
    filter.tags = std::move(*tags);
  } else {
    validator.Add(
        {json::string("query"), json::string("tags")}, tags ? "dict_type" : "json_invalid",
        tags ? "Input should be a valid dictionary" : "Invalid JSON: " + tags.error().message,
        json::string(*text));
  }
  return filter;
}

// The tags that the store can look up: each sandbox that fits has all of them. They are the whole
// filter except for pairs, because {"x": "env:prod"} has that tag too, and for values that are no
// text.
struct Lookup {
  std::vector<std::string> words;
  bool is_whole = true;
};

Lookup LookupOf(const TagFilter& filter) {
  Lookup lookup;
  if (filter.tag) lookup.words.push_back(*filter.tag);
  if (const json::object* pairs = filter.tags.if_object()) {
    for (const auto& pair : *pairs) {
      lookup.is_whole = false;
      if (const json::string* value = pair.value().if_string())
        lookup.words.push_back(std::string(pair.key()) + ":" + std::string(View(*value)));
    }
  }
  if (const json::array* words = filter.tags.if_array()) {
    for (const json::value& word : *words) {
      lookup.is_whole = lookup.is_whole && word.is_string();
      if (word.is_string()) lookup.words.emplace_back(View(word.get_string()));
    }
  }
  return lookup;
}

json::object Item(const store::Sandbox& sandbox) {
  return {{"sandbox_id", sandbox.id},    {"server_name", sandbox.server},
          {"status", StatusOf(sandbox)}, {"benchmark", TextOrNull(sandbox.benchmark)},
          {"tags", TagsOf(sandbox)},     {"updated_at", IsoMicros(sandbox.updated_at_us)}};
}

}  // namespace

Task<http::Response> ListSandboxes(Context& context, http::Request& request) {
  Validator validator;
  TagFilter filter = ReadFilter(request, validator);
  worlds::Sandboxes::ListQuery query;
  query.account_id = request.identity.account_id;
  if (auto server = request.Query("server_name")) {
    auto loaded = context.sandboxes.catalogue().Find(*server);
    query.server = loaded == nullptr ? ToLower(*server) : loaded->app->name;
  }
  if (auto limit = validator.QueryInteger(request, "limit", 1))
    query.limit = static_cast<std::size_t>(*limit);
  if (auto offset = validator.QueryInteger(request, "offset", 0))
    query.offset = static_cast<std::size_t>(*offset);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  Lookup lookup = LookupOf(filter);
  query.tags = std::move(lookup.words);
  // Many sandboxes, few different tags: each spelling is judged once.
  std::unordered_map<std::string_view, bool> verdicts;
  if (!lookup.is_whole) {
    query.accept = [&filter, &verdicts](const store::Sandbox& sandbox) {
      auto [verdict, is_new] = verdicts.try_emplace(sandbox.tags_json, false);
      if (is_new) verdict->second = Fits(filter, TagsOf(sandbox));
      return verdict->second;
    };
  }
  worlds::Sandboxes::Page page = context.sandboxes.List(query);
  std::string body = R"({"sandboxes":[)";
  for (std::size_t i = 0; i < page.sandboxes.size(); ++i) {
    if (i > 0) body += ',';
    body += WriteJson(Item(*page.sandboxes[i]));
  }
  body += R"(],"total_count":)" + std::to_string(page.total) + '}';
  co_return http::Json(200, std::move(body));
}

}  // namespace viv::klavis
