#include "engine/guest_sql/call_rules.h"

#include <algorithm>
#include <array>

namespace viv::engine::guest_sql {
namespace {

constexpr int kMany = 100;
constexpr std::string_view kWhole = " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

constexpr CallRule Text(std::string_view name, int min, int max, std::string_view sql) {
  return {name,        min,           max,           sql,          Returns::kFixed,
          Kind::kText, kScaleUnknown, Role::kScalar, Take::kAsText};
}
constexpr CallRule Integer(std::string_view name, int min, int max, std::string_view sql) {
  return {name, min, max, sql, Returns::kFixed, Kind::kNumber, 0};
}
constexpr CallRule Real(std::string_view name, int min, int max, std::string_view sql) {
  return {name, min, max, sql, Returns::kFixed, Kind::kFloat};
}
constexpr CallRule Truth(
    std::string_view name, int min, int max, std::string_view sql, Take take = Take::kAsIs) {
  return {name, min, max, sql, Returns::kFixed, Kind::kBoolean, kScaleUnknown, Role::kScalar, take};
}
constexpr CallRule Moment(
    std::string_view name, int min, int max, std::string_view sql, Kind kind) {
  return {name, min, max, sql, Returns::kFixed, kind};
}
constexpr CallRule Like(
    std::string_view name, int min, int max, std::string_view sql, Returns returns) {
  return {name, min, max, sql, returns};
}
constexpr CallRule Semi(std::string_view name, int min, int max, std::string_view sql, Kind kind) {
  return {name, min, max, sql, Returns::kFixed, kind};
}
constexpr CallRule Total(std::string_view name,
                         int min,
                         int max,
                         std::string_view sql,
                         Returns returns,
                         Kind kind = Kind::kUnknown,
                         int scale = kScaleUnknown) {
  return {name, min, max, sql, returns, kind, scale, Role::kAggregate};
}
constexpr CallRule Window(std::string_view name,
                          int min,
                          int max,
                          std::string_view sql,
                          Returns returns,
                          std::string_view frame = {}) {
  return {name, min, max, sql, returns, Kind::kNumber, 0, Role::kWindow, Take::kAsIs, frame};
}

constexpr std::array kRules = {
    // Conditions
    Like("COALESCE", 1, kMany, "coalesce", Returns::kCommon),
    Like("NVL", 2, 2, "coalesce", Returns::kCommon),
    Like("IFNULL", 2, 2, "coalesce", Returns::kCommon),
    Like("NVL2", 3, 3, "CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END", Returns::kCommonTail),
    Like("IFF", 3, 3, "CASE WHEN $1 THEN $2 ELSE $3 END", Returns::kCommonTail),
    Like("NULLIF", 2, 2, "nullif", Returns::kFirst),
    Like("NULLIFZERO", 1, 1, "nullif($1, 0)", Returns::kFirst),
    Like("ZEROIFNULL", 1, 1, "coalesce($1, 0)", Returns::kFirst),
    Like("GREATEST", 1, kMany, "g$greatest", Returns::kCommon),
    Like("LEAST", 1, kMany, "g$least", Returns::kCommon),
    Truth("EQUAL_NULL", 2, 2, "($1 IS $2)"),
    Truth("BOOLAND", 2, 2, "($1 AND $2)"),
    Truth("BOOLOR", 2, 2, "($1 OR $2)"),
    Truth("BOOLNOT", 1, 1, "(NOT $1)"),
    // Text
    Text("UPPER", 1, 1, "upper"),
    Text("LOWER", 1, 1, "lower"),
    Text("INITCAP", 1, 2, "g$initcap"),
    Text("TRIM", 1, 2, "trim"),
    Text("LTRIM", 1, 2, "ltrim"),
    Text("RTRIM", 1, 2, "rtrim"),
    Text("CONCAT", 1, kMany, "g$concat"),
    Text("CONCAT_WS", 2, kMany, "g$concat_ws"),
    Text("REPLACE", 2, 3, "g$replace"),
    Text("REVERSE", 1, 1, "g$reverse"),
    Text("TRANSLATE", 3, 3, "g$translate"),
    Text("SUBSTR", 2, 3, "g$substr"),
    Text("SUBSTRING", 2, 3, "g$substr"),
    Text("LEFT", 2, 2, "g$left"),
    Text("RIGHT", 2, 2, "g$right"),
    Text("LPAD", 2, 3, "g$lpad"),
    Text("RPAD", 2, 3, "g$rpad"),
    Text("REPEAT", 2, 2, "g$repeat"),
    Text("SPACE", 1, 1, "g$repeat(' ', $1)"),
    Text("SPLIT_PART", 3, 3, "g$split_part"),
    Text("STRTOK", 1, 3, "g$strtok"),
    Text("CHR", 1, 1, "g$chr"),
    Text("CHAR", 1, 1, "g$chr"),
    Text("MD5", 1, 1, "g$md5"),
    Text("SHA1", 1, 1, "g$sha1"),
    Text("SHA2", 1, 2, "g$sha2"),
    Text("REGEXP_REPLACE", 2, 6, "g$regexp_replace"),
    Text("REGEXP_SUBSTR", 2, 6, "g$regexp_substr"),
    Integer("REGEXP_COUNT", 2, 4, "g$regexp_count"),
    Integer("REGEXP_INSTR", 2, 2, "g$regexp_instr"),
    Truth("REGEXP_LIKE", 2, 3, "g$regexp_like", Take::kAsText),
    Truth("RLIKE", 2, 3, "g$regexp_like", Take::kAsText),
    Integer("LENGTH", 1, 1, "g$length"),
    Integer("LEN", 1, 1, "g$length"),
    Integer("ASCII", 1, 1, "g$ascii"),
    Integer("UNICODE", 1, 1, "g$ascii"),
    Integer("CHARINDEX", 2, 3, "g$charindex"),
    Integer("EDITDISTANCE", 2, 2, "g$editdistance"),
    Truth("CONTAINS", 2, 2, "(instr($1, $2) > 0)", Take::kAsText),
    Truth("STARTSWITH", 2, 2, "g$startswith", Take::kAsText),
    Truth("ENDSWITH", 2, 2, "g$endswith", Take::kAsText),
    Truth("LIKE", 2, 3, "g$like", Take::kAsText),
    Truth("ILIKE", 2, 3, "g$ilike", Take::kAsText),
    // Numbers
    Like("ABS", 1, 1, "abs(g$number($1))", Returns::kSum),
    Like("ROUND", 1, 2, "g$round", Returns::kSum),
    Integer("CEIL", 1, 2, "g$ceil"),
    Integer("CEILING", 1, 2, "g$ceil"),
    Integer("FLOOR", 1, 2, "g$floor"),
    Integer("SIGN", 1, 1, "sign"),
    Like("MOD", 2, 2, "g$mod", Returns::kCommon),
    Like("DIV0", 2, 2, "g$div0($1, $2)", Returns::kAverage),
    Like("DIV0NULL", 2, 2, "g$div0($1, $2)", Returns::kAverage),
    Real("SQUARE", 1, 1, "pow($1, 2)"),
    Real("SQRT", 1, 1, "sqrt"),
    Real("CBRT", 1, 1, "g$cbrt"),
    Real("POWER", 2, 2, "pow"),
    Real("POW", 2, 2, "pow"),
    Real("EXP", 1, 1, "exp"),
    Real("LN", 1, 1, "ln"),
    Real("LOG", 2, 2, "log"),
    Real("PI", 0, 0, "pi"),
    Real("SIN", 1, 1, "sin"),
    Real("COS", 1, 1, "cos"),
    Real("TAN", 1, 1, "tan"),
    Real("ASIN", 1, 1, "asin"),
    Real("ACOS", 1, 1, "acos"),
    Real("ATAN", 1, 1, "atan"),
    Real("ATAN2", 2, 2, "atan2"),
    Real("DEGREES", 1, 1, "degrees"),
    Real("RADIANS", 1, 1, "radians"),
    Integer("RANDOM", 0, 1, "random()"),
    Integer("SEQ1", 0, 1, "(row_number() OVER () - 1)"),
    Integer("SEQ2", 0, 1, "(row_number() OVER () - 1)"),
    Integer("SEQ4", 0, 1, "(row_number() OVER () - 1)"),
    Integer("SEQ8", 0, 1, "(row_number() OVER () - 1)"),
    Integer("WIDTH_BUCKET", 4, 4, "g$width_bucket"),
    Integer("BITAND", 2, 2, "($1 & $2)"),
    Integer("BITOR", 2, 2, "($1 | $2)"),
    Integer("HASH", 1, kMany, "g$hash"),
    // Dates and times; those that take a part are in special_call.cc
    Moment("TO_DATE", 1, 2, "g$to_date", Kind::kDate),
    Moment("DATE", 1, 2, "g$to_date", Kind::kDate),
    Moment("TRY_TO_DATE", 1, 2, "g$try_to_date", Kind::kDate),
    Moment("TO_TIMESTAMP", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    Moment("TO_TIMESTAMP_NTZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    Moment("TO_TIMESTAMP_LTZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    Moment("TO_TIMESTAMP_TZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    Moment("TRY_TO_TIMESTAMP", 1, 2, "g$try_to_timestamp", Kind::kTimestamp),
    Moment("TRY_TO_TIMESTAMP_NTZ", 1, 2, "g$try_to_timestamp", Kind::kTimestamp),
    Moment("TO_TIME", 1, 1, "g$cast($1, 't', 0, 0)", Kind::kTime),
    Moment("DATE_FROM_PARTS", 3, 3, "g$date_from_parts", Kind::kDate),
    Moment("DATEFROMPARTS", 3, 3, "g$date_from_parts", Kind::kDate),
    Moment("TIMESTAMP_FROM_PARTS", 6, 6, "g$timestamp_from_parts", Kind::kTimestamp),
    Moment("LAST_DAY", 1, 1, "g$last_day", Kind::kDate),
    Like("ADD_MONTHS", 2, 2, "g$dateadd('month', $2, $1)", Returns::kFirst),
    Real("MONTHS_BETWEEN", 2, 2, "g$months_between"),
    Text("DAYNAME", 1, 1, "g$to_char($1, 'DY')"),
    Text("MONTHNAME", 1, 1, "g$to_char($1, 'MON')"),
    Integer("YEAR", 1, 1, "g$datepart('year', $1)"),
    Integer("QUARTER", 1, 1, "g$datepart('quarter', $1)"),
    Integer("MONTH", 1, 1, "g$datepart('month', $1)"),
    Integer("WEEK", 1, 1, "g$datepart('week', $1)"),
    Integer("WEEKOFYEAR", 1, 1, "g$datepart('week', $1)"),
    Integer("WEEKISO", 1, 1, "g$datepart('week', $1)"),
    Integer("DAY", 1, 1, "g$datepart('day', $1)"),
    Integer("DAYOFMONTH", 1, 1, "g$datepart('day', $1)"),
    Integer("DAYOFWEEK", 1, 1, "g$datepart('dayofweek', $1)"),
    Integer("DAYOFWEEKISO", 1, 1, "g$datepart('dayofweekiso', $1)"),
    Integer("DAYOFYEAR", 1, 1, "g$datepart('dayofyear', $1)"),
    Integer("YEAROFWEEK", 1, 1, "g$datepart('yearofweek', $1)"),
    Integer("HOUR", 1, 1, "g$datepart('hour', $1)"),
    Integer("MINUTE", 1, 1, "g$datepart('minute', $1)"),
    Integer("SECOND", 1, 1, "g$datepart('second', $1)"),
    // Conversions
    Truth("TO_BOOLEAN", 1, 1, "g$cast($1, 'b', 0, 0)"),
    Truth("TRY_TO_BOOLEAN", 1, 1, "g$try_cast($1, 'b', 0, 0)"),
    Real("TO_DOUBLE", 1, 1, "g$cast($1, 'f', 0, 0)"),
    Real("TRY_TO_DOUBLE", 1, 1, "g$try_cast($1, 'f', 0, 0)"),
    // Semi-structured values
    Semi("PARSE_JSON", 1, 1, "g$parse_json", Kind::kVariant),
    Semi("TRY_PARSE_JSON", 1, 1, "g$try_parse_json", Kind::kVariant),
    Semi("TO_VARIANT", 1, 1, "($1)", Kind::kVariant),
    Semi("TO_OBJECT", 1, 1, "($1)", Kind::kObject),
    Semi("TO_ARRAY", 1, 1, "g$to_array($1)", Kind::kArray),
    Semi("GET", 2, 2, "g$get", Kind::kVariant),
    Semi("GET_PATH", 2, 2, "g$get_path", Kind::kVariant),
    Semi("OBJECT_KEYS", 1, 1, "g$object_keys", Kind::kArray),
    Semi("SPLIT", 2, 2, "g$split", Kind::kArray),
    Semi("STRTOK_TO_ARRAY", 1, 2, "g$strtok_to_array", Kind::kArray),
    Semi("ARRAY_CAT", 2, 2, "g$array_cat", Kind::kArray),
    Semi("ARRAY_DISTINCT", 1, 1, "g$array_distinct", Kind::kArray),
    Semi("ARRAY_SLICE", 3, 3, "g$array_slice", Kind::kArray),
    Semi("ARRAY_SORT", 1, 1, "g$array_sort", Kind::kArray),
    Integer("ARRAY_SIZE", 1, 1, "g$array_size"),
    Text("ARRAY_TO_STRING", 2, 2, "g$array_to_string"),
    Text("TYPEOF", 1, 1, "g$typeof"),
    Truth("IS_NULL_VALUE", 1, 1, "($1 IS NULL)"),
    Truth("IS_ARRAY", 1, 1, "(g$typeof($1) = 'ARRAY')"),
    Truth("IS_OBJECT", 1, 1, "(g$typeof($1) = 'OBJECT')"),
    Truth("IS_INTEGER", 1, 1, "(typeof($1) = 'integer')"),
    // Aggregates; COUNT, LISTAGG, ARRAY_AGG, PERCENTILE_* are in aggregate_call.cc
    Total("SUM", 1, 1, "sum", Returns::kSum),
    Total("AVG", 1, 1, "avg", Returns::kAverage),
    Total("MIN", 1, 1, "min", Returns::kFirst),
    Total("MAX", 1, 1, "max", Returns::kFirst),
    Total("ANY_VALUE", 1, 1, "min", Returns::kFirst),
    Total("MEDIAN", 1, 1, "g$median", Returns::kAverage),
    Total("MODE", 1, 1, "g$mode", Returns::kFirst),
    Total("STDDEV", 1, 1, "g$stddev_samp", Returns::kFixed, Kind::kFloat),
    Total("STDDEV_SAMP", 1, 1, "g$stddev_samp", Returns::kFixed, Kind::kFloat),
    Total("STDDEV_POP", 1, 1, "g$stddev_pop", Returns::kFixed, Kind::kFloat),
    Total("VARIANCE", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    Total("VARIANCE_SAMP", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    Total("VAR_SAMP", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    Total("VARIANCE_POP", 1, 1, "g$var_pop", Returns::kFixed, Kind::kFloat),
    Total("VAR_POP", 1, 1, "g$var_pop", Returns::kFixed, Kind::kFloat),
    Total("CORR", 2, 2, "g$corr", Returns::kFixed, Kind::kFloat),
    Total("COVAR_POP", 2, 2, "g$covar_pop", Returns::kFixed, Kind::kFloat),
    Total("COVAR_SAMP", 2, 2, "g$covar_samp", Returns::kFixed, Kind::kFloat),
    Total("MAX_BY", 2, 2, "g$max_by", Returns::kFirst),
    Total("MIN_BY", 2, 2, "g$min_by", Returns::kFirst),
    Total("COUNT_IF", 1, 1, "count(CASE WHEN $1 THEN 1 END)", Returns::kFixed, Kind::kNumber, 0),
    Total("BOOLAND_AGG", 1, 1, "min($1 <> 0)", Returns::kFixed, Kind::kBoolean),
    Total("BOOLOR_AGG", 1, 1, "max($1 <> 0)", Returns::kFixed, Kind::kBoolean),
    Total("APPROX_COUNT_DISTINCT", 1, 1, "count(DISTINCT $1)", Returns::kFixed, Kind::kNumber, 0),
    Total("HLL", 1, 1, "count(DISTINCT $1)", Returns::kFixed, Kind::kNumber, 0),
    // Window functions
    Window("ROW_NUMBER", 0, 0, "row_number", Returns::kFixed),
    Window("RANK", 0, 0, "rank", Returns::kFixed),
    Window("DENSE_RANK", 0, 0, "dense_rank", Returns::kFixed),
    Window("NTILE", 1, 1, "ntile", Returns::kFixed),
    CallRule{"PERCENT_RANK", 0, 0, "percent_rank", Returns::kFixed, Kind::kFloat, kScaleUnknown,
             Role::kWindow},
    CallRule{"CUME_DIST", 0, 0, "cume_dist", Returns::kFixed, Kind::kFloat, kScaleUnknown,
             Role::kWindow},
    Window("LAG", 1, 3, "lag", Returns::kFirst),
    Window("LEAD", 1, 3, "lead", Returns::kFirst),
    Window("FIRST_VALUE", 1, 1, "first_value", Returns::kFirst, kWhole),
    Window("LAST_VALUE", 1, 1, "last_value", Returns::kFirst, kWhole),
    Window("NTH_VALUE", 2, 2, "nth_value", Returns::kFirst, kWhole),
};

}  // namespace

const CallRule* FindCallRule(std::string_view name) {
  auto found = std::find_if(kRules.begin(), kRules.end(),
                            [&](const CallRule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace viv::engine::guest_sql
