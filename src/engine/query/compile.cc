#include <string>

#include "base/text.h"
#include "engine/query/dates.h"
#include "engine/query/filter_json.h"
#include "engine/query/jql.h"
#include "engine/query/query.h"
#include "engine/query/terms.h"
#include "engine/query/to_sql.h"

namespace viv::engine::query {
namespace {

// Absent is empty, which asks for everything.
Result<std::string> TextOf(const json::value& query) {
  if (query.is_null()) return std::string();
  if (!query.is_string()) return Fail(ErrorCode::kInvalidArgument, "the query must be text");
  std::string_view text = View(query.get_string());
  if (text.size() > kTextBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                "the query is longer than " + std::to_string(kTextBytesMax) + " bytes");
  }
  if (!IsValidUtf8(text)) return Fail(ErrorCode::kInvalidArgument, "the query is not UTF-8");
  return std::string(text);
}

// Some clients send an object as the text of one.
Result<Condition> FilterOf(const json::value& query,
                           const Target& target,
                           const Calendar& calendar) {
  if (!query.is_string()) return ParseFilter(query, target, calendar);
  ASSIGN_OR_RETURN(std::string text, TextOf(query));
  if (Trim(text).empty()) return Condition::All();
  ASSIGN_OR_RETURN(json::value filter, ParseJson(text), "filter");
  return ParseFilter(filter, target, calendar);
}

Result<Parsed> Parse(std::string_view language,
                     const json::value& query,
                     const Target& target,
                     const Context& context,
                     const Calendar& calendar) {
  if (language == "filter_json") {
    Parsed parsed;
    ASSIGN_OR_RETURN(parsed.condition, FilterOf(query, target, calendar));
    return parsed;
  }
  bool jql = language == "jql";
  if (!jql && language != "terms") {
    return Fail(ErrorCode::kInvalidArgument, "unknown query language '" + std::string(language) +
                                                 "'; known are filter_json, jql and terms");
  }
  ASSIGN_OR_RETURN(std::string text, TextOf(query));
  return jql ? ParseJql(text, target, context, calendar) : ParseTerms(text, target, calendar);
}

}  // namespace

Result<Compiled> Compile(std::string_view language,
                         const json::value& query,
                         const Target& target,
                         const Context& context,
                         const json::value& sorts) {
  ASSIGN_OR_RETURN(Calendar calendar, Calendar::Create(context, target.week_start));
  ASSIGN_OR_RETURN(Parsed parsed, Parse(language, query, target, context, calendar));
  ASSIGN_OR_RETURN(std::vector<Sort> further, ParseSorts(sorts, target));
  for (Sort& sort : further) parsed.sorts.push_back(std::move(sort));
  return ToSql(parsed, target, context, calendar);
}

}  // namespace viv::engine::query
