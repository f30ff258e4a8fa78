#include "engine/guest_sql/call_rules.h"

#include <algorithm>
#include <array>

namespace viv::engine::guest_sql {
namespace {

constexpr int kManyArguments = 100;
constexpr std::string_view kWhole = " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";

constexpr CallRule TextRule(std::string_view name, int min, int max, std::string_view sql) {
  return {name,        min,           max,           sql,          Returns::kFixed,
          Kind::kText, kScaleUnknown, Role::kScalar, Take::kAsText};
}
constexpr CallRule IntegerRule(std::string_view name, int min, int max, std::string_view sql) {
  return {name, min, max, sql, Returns::kFixed, Kind::kNumber, 0};
}
constexpr CallRule RealRule(std::string_view name, int min, int max, std::string_view sql) {
  return {name, min, max, sql, Returns::kFixed, Kind::kFloat};
}
constexpr CallRule TruthRule(
    std::string_view name, int min, int max, std::string_view sql, Take take = Take::kAsIs) {
  return {name, min, max, sql, Returns::kFixed, Kind::kBoolean, kScaleUnknown, Role::kScalar, take};
}
constexpr CallRule MomentRule(
    std::string_view name, int min, int max, std::string_view sql, Kind kind) {
  return {name, min, max, sql, Returns::kFixed, kind};
}
constexpr CallRule LikeRule(
    std::string_view name, int min, int max, std::string_view sql, Returns returns) {
  return {name, min, max, sql, returns};
}
constexpr CallRule SemiRule(
    std::string_view name, int min, int max, std::string_view sql, Kind kind) {
  return {name, min, max, sql, Returns::kFixed, kind};
}
constexpr CallRule TotalRule(std::string_view name,
                             int min,
                             int max,
                             std::string_view sql,
                             Returns returns,
                             Kind kind = Kind::kUnknown,
                             int scale = kScaleUnknown) {
  return {name, min, max, sql, returns, kind, scale, Role::kAggregate};
}
constexpr CallRule WindowRule(std::string_view name,
                              int min,
                              int max,
                              std::string_view sql,
                              Returns returns,
                              std::string_view frame = {}) {
  return {name, min, max, sql, returns, Kind::kNumber, 0, Role::kWindow, Take::kAsIs, frame};
}

constexpr std::array kRules = {
    // Conditions
    LikeRule("COALESCE", 1, kManyArguments, "coalesce", Returns::kCommon),
    LikeRule("NVL", 2, 2, "coalesce", Returns::kCommon),
    LikeRule("IFNULL", 2, 2, "coalesce", Returns::kCommon),
    LikeRule("NVL2", 3, 3, "CASE WHEN $1 IS NOT NULL THEN $2 ELSE $3 END", Returns::kCommonTail),
    LikeRule("IFF", 3, 3, "CASE WHEN $1 THEN $2 ELSE $3 END", Returns::kCommonTail),
    LikeRule("NULLIF", 2, 2, "nullif", Returns::kFirst),
    LikeRule("NULLIFZERO", 1, 1, "nullif($1, 0)", Returns::kFirst),
    LikeRule("ZEROIFNULL", 1, 1, "coalesce($1, 0)", Returns::kFirst),
    LikeRule("GREATEST", 1, kManyArguments, "g$greatest", Returns::kCommon),
    LikeRule("LEAST", 1, kManyArguments, "g$least", Returns::kCommon),
    TruthRule("EQUAL_NULL", 2, 2, "($1 IS $2)"),
    TruthRule("BOOLAND", 2, 2, "($1 AND $2)"),
    TruthRule("BOOLOR", 2, 2, "($1 OR $2)"),
    TruthRule("BOOLNOT", 1, 1, "(NOT $1)"),
    // Text
    TextRule("UPPER", 1, 1, "upper"),
    TextRule("LOWER", 1, 1, "lower"),
    TextRule("INITCAP", 1, 2, "g$initcap"),
    TextRule("TRIM", 1, 2, "trim"),
    TextRule("LTRIM", 1, 2, "ltrim"),
    TextRule("RTRIM", 1, 2, "rtrim"),
    TextRule("CONCAT", 1, kManyArguments, "g$concat"),
    TextRule("CONCAT_WS", 2, kManyArguments, "g$concat_ws"),
    TextRule("REPLACE", 2, 3, "g$replace"),
    TextRule("REVERSE", 1, 1, "g$reverse"),
    TextRule("TRANSLATE", 3, 3, "g$translate"),
    TextRule("SUBSTR", 2, 3, "g$substr"),
    TextRule("SUBSTRING", 2, 3, "g$substr"),
    TextRule("LEFT", 2, 2, "g$left"),
    TextRule("RIGHT", 2, 2, "g$right"),
    TextRule("LPAD", 2, 3, "g$lpad"),
    TextRule("RPAD", 2, 3, "g$rpad"),
    TextRule("REPEAT", 2, 2, "g$repeat"),
    TextRule("SPACE", 1, 1, "g$repeat(' ', $1)"),
    TextRule("SPLIT_PART", 3, 3, "g$split_part"),
    TextRule("STRTOK", 1, 3, "g$strtok"),
    TextRule("CHR", 1, 1, "g$chr"),
    TextRule("CHAR", 1, 1, "g$chr"),
    TextRule("MD5", 1, 1, "g$md5"),
    TextRule("SHA1", 1, 1, "g$sha1"),
    TextRule("SHA2", 1, 2, "g$sha2"),
    TextRule("REGEXP_REPLACE", 2, 6, "g$regexp_replace"),
    TextRule("REGEXP_SUBSTR", 2, 6, "g$regexp_substr"),
    IntegerRule("REGEXP_COUNT", 2, 4, "g$regexp_count"),
    IntegerRule("REGEXP_INSTR", 2, 2, "g$regexp_instr"),
    TruthRule("REGEXP_LIKE", 2, 3, "g$regexp_like", Take::kAsText),
    TruthRule("RLIKE", 2, 3, "g$regexp_like", Take::kAsText),
    IntegerRule("LENGTH", 1, 1, "g$length"),
    IntegerRule("LEN", 1, 1, "g$length"),
    IntegerRule("ASCII", 1, 1, "g$ascii"),
    IntegerRule("UNICODE", 1, 1, "g$ascii"),
    IntegerRule("CHARINDEX", 2, 3, "g$charindex"),
    IntegerRule("EDITDISTANCE", 2, 2, "g$editdistance"),
    TruthRule("CONTAINS", 2, 2, "(instr($1, $2) > 0)", Take::kAsText),
    TruthRule("STARTSWITH", 2, 2, "g$startswith", Take::kAsText),
    TruthRule("ENDSWITH", 2, 2, "g$endswith", Take::kAsText),
    TruthRule("LIKE", 2, 3, "g$like", Take::kAsText),
    TruthRule("ILIKE", 2, 3, "g$ilike", Take::kAsText),
    // Numbers
    LikeRule("ABS", 1, 1, "abs(g$number($1))", Returns::kSum),
    LikeRule("ROUND", 1, 2, "g$round", Returns::kSum),
    IntegerRule("CEIL", 1, 2, "g$ceil"),
    IntegerRule("CEILING", 1, 2, "g$ceil"),
    IntegerRule("FLOOR", 1, 2, "g$floor"),
    IntegerRule("SIGN", 1, 1, "sign"),
    LikeRule("MOD", 2, 2, "g$mod", Returns::kCommon),
    LikeRule("DIV0", 2, 2, "g$div0($1, $2)", Returns::kAverage),
    LikeRule("DIV0NULL", 2, 2, "g$div0($1, $2)", Returns::kAverage),
    RealRule("SQUARE", 1, 1, "pow($1, 2)"),
    RealRule("SQRT", 1, 1, "sqrt"),
    RealRule("CBRT", 1, 1, "g$cbrt"),
    RealRule("POWER", 2, 2, "pow"),
    RealRule("POW", 2, 2, "pow"),
    RealRule("EXP", 1, 1, "exp"),
    RealRule("LN", 1, 1, "ln"),
    RealRule("LOG", 2, 2, "log"),
    RealRule("PI", 0, 0, "pi"),
    RealRule("SIN", 1, 1, "sin"),
    RealRule("COS", 1, 1, "cos"),
    RealRule("TAN", 1, 1, "tan"),
    RealRule("ASIN", 1, 1, "asin"),
    RealRule("ACOS", 1, 1, "acos"),
    RealRule("ATAN", 1, 1, "atan"),
    RealRule("ATAN2", 2, 2, "atan2"),
    RealRule("DEGREES", 1, 1, "degrees"),
    RealRule("RADIANS", 1, 1, "radians"),
    IntegerRule("RANDOM", 0, 1, "random()"),
    IntegerRule("SEQ1", 0, 1, "(row_number() OVER () - 1)"),
    IntegerRule("SEQ2", 0, 1, "(row_number() OVER () - 1)"),
    IntegerRule("SEQ4", 0, 1, "(row_number() OVER () - 1)"),
    IntegerRule("SEQ8", 0, 1, "(row_number() OVER () - 1)"),
    IntegerRule("WIDTH_BUCKET", 4, 4, "g$width_bucket"),
    IntegerRule("BITAND", 2, 2, "($1 & $2)"),
    IntegerRule("BITOR", 2, 2, "($1 | $2)"),
    IntegerRule("HASH", 1, kManyArguments, "g$hash"),
    // Dates and times; those that take a part are in special_call.cc
    MomentRule("TO_DATE", 1, 2, "g$to_date", Kind::kDate),
    MomentRule("DATE", 1, 2, "g$to_date", Kind::kDate),
    MomentRule("TRY_TO_DATE", 1, 2, "g$try_to_date", Kind::kDate),
    MomentRule("TO_TIMESTAMP", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    MomentRule("TO_TIMESTAMP_NTZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    MomentRule("TO_TIMESTAMP_LTZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    MomentRule("TO_TIMESTAMP_TZ", 1, 2, "g$to_timestamp", Kind::kTimestamp),
    MomentRule("TRY_TO_TIMESTAMP", 1, 2, "g$try_to_timestamp", Kind::kTimestamp),
    MomentRule("TRY_TO_TIMESTAMP_NTZ", 1, 2, "g$try_to_timestamp", Kind::kTimestamp),
    MomentRule("TO_TIME", 1, 1, "g$cast($1, 't', 0, 0)", Kind::kTime),
    MomentRule("DATE_FROM_PARTS", 3, 3, "g$date_from_parts", Kind::kDate),
    MomentRule("DATEFROMPARTS", 3, 3, "g$date_from_parts", Kind::kDate),
    MomentRule("TIMESTAMP_FROM_PARTS", 6, 6, "g$timestamp_from_parts", Kind::kTimestamp),
    MomentRule("LAST_DAY", 1, 1, "g$last_day", Kind::kDate),
    LikeRule("ADD_MONTHS", 2, 2, "g$dateadd('month', $2, $1)", Returns::kFirst),
    RealRule("MONTHS_BETWEEN", 2, 2, "g$months_between"),
    TextRule("DAYNAME", 1, 1, "g$to_char($1, 'DY')"),
    TextRule("MONTHNAME", 1, 1, "g$to_char($1, 'MON')"),
    IntegerRule("YEAR", 1, 1, "g$datepart('year', $1)"),
    IntegerRule("QUARTER", 1, 1, "g$datepart('quarter', $1)"),
    IntegerRule("MONTH", 1, 1, "g$datepart('month', $1)"),
    IntegerRule("WEEK", 1, 1, "g$datepart('week', $1)"),
    IntegerRule("WEEKOFYEAR", 1, 1, "g$datepart('week', $1)"),
    IntegerRule("WEEKISO", 1, 1, "g$datepart('week', $1)"),
    IntegerRule("DAY", 1, 1, "g$datepart('day', $1)"),
    IntegerRule("DAYOFMONTH", 1, 1, "g$datepart('day', $1)"),
    IntegerRule("DAYOFWEEK", 1, 1, "g$datepart('dayofweek', $1)"),
    IntegerRule("DAYOFWEEKISO", 1, 1, "g$datepart('dayofweekiso', $1)"),
    IntegerRule("DAYOFYEAR", 1, 1, "g$datepart('dayofyear', $1)"),
    IntegerRule("YEAROFWEEK", 1, 1, "g$datepart('yearofweek', $1)"),
    IntegerRule("HOUR", 1, 1, "g$datepart('hour', $1)"),
    IntegerRule("MINUTE", 1, 1, "g$datepart('minute', $1)"),
    IntegerRule("SECOND", 1, 1, "g$datepart('second', $1)"),
    // Conversions
    TruthRule("TO_BOOLEAN", 1, 1, "g$cast($1, 'b', 0, 0)"),
    TruthRule("TRY_TO_BOOLEAN", 1, 1, "g$try_cast($1, 'b', 0, 0)"),
    RealRule("TO_DOUBLE", 1, 1, "g$cast($1, 'f', 0, 0)"),
    RealRule("TRY_TO_DOUBLE", 1, 1, "g$try_cast($1, 'f', 0, 0)"),
    // Semi-structured values
    SemiRule("PARSE_JSON", 1, 1, "g$parse_json", Kind::kVariant),
    SemiRule("TRY_PARSE_JSON", 1, 1, "g$try_parse_json", Kind::kVariant),
    SemiRule("TO_VARIANT", 1, 1, "($1)", Kind::kVariant),
    SemiRule("TO_OBJECT", 1, 1, "($1)", Kind::kObject),
    SemiRule("TO_ARRAY", 1, 1, "g$to_array($1)", Kind::kArray),
    SemiRule("GET", 2, 2, "g$get", Kind::kVariant),
    SemiRule("GET_PATH", 2, 2, "g$get_path", Kind::kVariant),
    SemiRule("OBJECT_KEYS", 1, 1, "g$object_keys", Kind::kArray),
    SemiRule("SPLIT", 2, 2, "g$split", Kind::kArray),
    SemiRule("STRTOK_TO_ARRAY", 1, 2, "g$strtok_to_array", Kind::kArray),
    SemiRule("ARRAY_CAT", 2, 2, "g$array_cat", Kind::kArray),
    SemiRule("ARRAY_DISTINCT", 1, 1, "g$array_distinct", Kind::kArray),
    SemiRule("ARRAY_SLICE", 3, 3, "g$array_slice", Kind::kArray),
    SemiRule("ARRAY_SORT", 1, 1, "g$array_sort", Kind::kArray),
    IntegerRule("ARRAY_SIZE", 1, 1, "g$array_size"),
    TextRule("ARRAY_TO_STRING", 2, 2, "g$array_to_string"),
    TextRule("TYPEOF", 1, 1, "g$typeof"),
    TruthRule("IS_NULL_VALUE", 1, 1, "($1 IS NULL)"),
    TruthRule("IS_ARRAY", 1, 1, "(g$typeof($1) = 'ARRAY')"),
    TruthRule("IS_OBJECT", 1, 1, "(g$typeof($1) = 'OBJECT')"),
    TruthRule("IS_INTEGER", 1, 1, "(typeof($1) = 'integer')"),
    // Aggregates; COUNT, LISTAGG, ARRAY_AGG, PERCENTILE_* are in aggregate_call.cc
    TotalRule("SUM", 1, 1, "sum", Returns::kSum),
    TotalRule("AVG", 1, 1, "avg", Returns::kAverage),
    TotalRule("MIN", 1, 1, "min", Returns::kFirst),
    TotalRule("MAX", 1, 1, "max", Returns::kFirst),
    TotalRule("ANY_VALUE", 1, 1, "min", Returns::kFirst),
    TotalRule("MEDIAN", 1, 1, "g$median", Returns::kAverage),
    TotalRule("MODE", 1, 1, "g$mode", Returns::kFirst),
    TotalRule("STDDEV", 1, 1, "g$stddev_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("STDDEV_SAMP", 1, 1, "g$stddev_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("STDDEV_POP", 1, 1, "g$stddev_pop", Returns::kFixed, Kind::kFloat),
    TotalRule("VARIANCE", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("VARIANCE_SAMP", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("VAR_SAMP", 1, 1, "g$var_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("VARIANCE_POP", 1, 1, "g$var_pop", Returns::kFixed, Kind::kFloat),
    TotalRule("VAR_POP", 1, 1, "g$var_pop", Returns::kFixed, Kind::kFloat),
    TotalRule("CORR", 2, 2, "g$corr", Returns::kFixed, Kind::kFloat),
    TotalRule("COVAR_POP", 2, 2, "g$covar_pop", Returns::kFixed, Kind::kFloat),
    TotalRule("COVAR_SAMP", 2, 2, "g$covar_samp", Returns::kFixed, Kind::kFloat),
    TotalRule("MAX_BY", 2, 2, "g$max_by", Returns::kFirst),
    TotalRule("MIN_BY", 2, 2, "g$min_by", Returns::kFirst),
    TotalRule(
        "COUNT_IF", 1, 1, "count(CASE WHEN $1 THEN 1 END)", Returns::kFixed, Kind::kNumber, 0),
    TotalRule("BOOLAND_AGG", 1, 1, "min($1 <> 0)", Returns::kFixed, Kind::kBoolean),
    TotalRule("BOOLOR_AGG", 1, 1, "max($1 <> 0)", Returns::kFixed, Kind::kBoolean),
    TotalRule(
        "APPROX_COUNT_DISTINCT", 1, 1, "count(DISTINCT $1)", Returns::kFixed, Kind::kNumber, 0),
    TotalRule("HLL", 1, 1, "count(DISTINCT $1)", Returns::kFixed, Kind::kNumber, 0),
    // Window functions
    WindowRule("ROW_NUMBER", 0, 0, "row_number", Returns::kFixed),
    WindowRule("RANK", 0, 0, "rank", Returns::kFixed),
    WindowRule("DENSE_RANK", 0, 0, "dense_rank", Returns::kFixed),
    WindowRule("NTILE", 1, 1, "ntile", Returns::kFixed),
    CallRule{"PERCENT_RANK", 0, 0, "percent_rank", Returns::kFixed, Kind::kFloat, kScaleUnknown,
             Role::kWindow},
    CallRule{"CUME_DIST", 0, 0, "cume_dist", Returns::kFixed, Kind::kFloat, kScaleUnknown,
             Role::kWindow},
    WindowRule("LAG", 1, 3, "lag", Returns::kFirst),
    WindowRule("LEAD", 1, 3, "lead", Returns::kFirst),
    WindowRule("FIRST_VALUE", 1, 1, "first_value", Returns::kFirst, kWhole),
    WindowRule("LAST_VALUE", 1, 1, "last_value", Returns::kFirst, kWhole),
    WindowRule("NTH_VALUE", 2, 2, "nth_value", Returns::kFirst, kWhole),
};

}  // namespace

const CallRule* FindCallRule(std::string_view name) {
  auto found = std::find_if(kRules.begin(), kRules.end(),
                            [&](const CallRule& rule) { return rule.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace viv::engine::guest_sql
