// Aggregates that SQLite lacks. All gather their rows and compute at the end, which also makes them
// window functions: a row that leaves the window is the first one gathered.
#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "db/memory_limit.h"
#include "engine/guest_sql/function.h"
#include "engine/limits/work.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::size_t kGatheredBytesMax = std::size_t{64} << 20;

using Row = std::vector<Value>;

// What an aggregate has seen, counted as the statement's memory.
struct Gathered {
  std::deque<Row> rows;
  std::size_t bytes = 0;

  Gathered() = default;
  ~Gathered() { db::UnchargeMemory(bytes); }
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;

  bool Take(std::size_t more) {
    if (bytes + more > kGatheredBytesMax || !db::ChargeMemory(more)) return false;
    bytes += more;
    return true;
  }
  void Give(std::size_t less) {
    bytes -= less;
    db::UnchargeMemory(less);
  }
};

struct Aggregate {
  const char* name;
  int arguments;  // -1: any number
  Result<Value> (*compute)(const std::deque<Row>&);
  // Rows whose argument of this number is NULL do not count; -1 for none.
  int skip_null;
};

std::size_t SizeOf(const Row& row) {
  std::size_t bytes = 64;
  for (const Value& value : row) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += 48 + (text == nullptr ? 0 : text->size());
  }
  return bytes;
}

Gathered** Slot(sqlite3_context* context, int bytes) {
  return static_cast<Gathered**>(sqlite3_aggregate_context(context, bytes));
}

bool Counts(const Aggregate& aggregate, sqlite3_value** values) {
  if (aggregate.skip_null < 0) return true;
  if (sqlite3_value_type(values[aggregate.skip_null]) == SQLITE_NULL) return false;
  // Of a pair of numbers both must be there.
  return aggregate.arguments != 2 || aggregate.skip_null != 0 ||
         sqlite3_value_type(values[1]) != SQLITE_NULL;
}

void Step(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* aggregate = static_cast<const Aggregate*>(sqlite3_user_data(context));
  if (!Counts(*aggregate, values)) return;
  try {
    Gathered** slot = Slot(context, sizeof(Gathered*));
    if (slot == nullptr) return sqlite3_result_error_nomem(context);
    if (*slot == nullptr) *slot = new Gathered;
    Row row;
    for (int i = 0; i < count; ++i) row.push_back(ReadValue(values[i]));
    if (!(*slot)->Take(SizeOf(row))) return sqlite3_result_error_toobig(context);
    (*slot)->rows.push_back(std::move(row));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void Inverse(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* aggregate = static_cast<const Aggregate*>(sqlite3_user_data(context));
  Gathered** slot = Slot(context, 0);
  if (slot == nullptr || *slot == nullptr || (*slot)->rows.empty() || !Counts(*aggregate, values))
    return;
  (*slot)->Give(SizeOf((*slot)->rows.front()));
  (*slot)->rows.pop_front();
}

void Compute(sqlite3_context* context, const Gathered* gathered) {
  const auto* aggregate = static_cast<const Aggregate*>(sqlite3_user_data(context));
  // A window function computes for every row anew.
  if (gathered != nullptr && !ChargeWork(gathered->bytes))
    return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  try {
    static const std::deque<Row> kNone;
    ReturnValue(context, aggregate->compute(gathered == nullptr ? kNone : gathered->rows));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void Current(sqlite3_context* context) {
  Gathered** slot = Slot(context, 0);
  Compute(context, slot == nullptr ? nullptr : *slot);
}

void Final(sqlite3_context* context) {
  Gathered** slot = Slot(context, 0);
  Compute(context, slot == nullptr ? nullptr : *slot);
  if (slot != nullptr) delete std::exchange(*slot, nullptr);
}

std::vector<double> Sorted(const std::deque<Row>& rows, std::size_t column) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(RealOf(row[column]));
  std::sort(values.begin(), values.end());
  return values;
}

double Interpolated(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - std::floor(place));
}

Value Whole(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e15)
    return static_cast<std::int64_t>(value);
  return value;
}

Result<Value> Median(const std::deque<Row>& rows) {
  if (rows.empty()) return NullValue();
  return Whole(Interpolated(Sorted(rows, 0), 0.5));
}

Result<double> Share(const std::deque<Row>& rows) {
  const double share = RealOf(rows[0][0]);
  if (!(share >= 0 && share <= 1)) {
    return Fail(ErrorCode::kInvalidArgument,
                "001044 (42P13): SQL compilation error:\nInvalid percentile value.");
  }
  return RealOf(rows[0][2]) != 0 ? 1 - share : share;
}

// (share, value, descending)
Result<Value> PercentileCont(const std::deque<Row>& rows) {
  if (rows.empty()) return NullValue();
  ASSIGN_OR_RETURN(double share, Share(rows));
  return Whole(Interpolated(Sorted(rows, 1), share));
}

Result<Value> PercentileDisc(const std::deque<Row>& rows) {
  if (rows.empty()) return NullValue();
  ASSIGN_OR_RETURN(double share, Share(rows));
  std::vector<Value> values;
  for (const Row& row : rows) values.push_back(row[1]);
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
  const double place = std::ceil(share * static_cast<double>(values.size())) - 1;
  return values[static_cast<std::size_t>(std::max(place, 0.0))];
}

struct Moments {
  double count = 0;
  double mean_x = 0;
  double mean_y = 0;
  double xx = 0;  // sums of squared and mixed deviations
  double yy = 0;
  double xy = 0;
};

Moments MomentsOf(const std::deque<Row>& rows) {
  Moments m;
  for (const Row& row : rows) {
    const double x = RealOf(row[0]);
    const double y = row.size() > 1 ? RealOf(row[1]) : x;
    m.count += 1;
    const double dx = x - m.mean_x;
    const double dy = y - m.mean_y;
    m.mean_x += dx / m.count;
    m.mean_y += dy / m.count;
    m.xx += dx * (x - m.mean_x);
    m.yy += dy * (y - m.mean_y);
    m.xy += dx * (y - m.mean_y);
  }
  return m;
}

Value Quotient(double a, double b) {
  return b > 0 ? Value(a / b) : NullValue();
}

Result<Value> VarPop(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Quotient(m.xx, m.count);
}

Result<Value> VarSamp(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Quotient(m.xx, m.count - 1);
}

Value Root(const Value& value) {
  return IsNull(value) ? value : Value(std::sqrt(RealOf(value)));
}

Result<Value> StddevPop(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Root(Quotient(m.xx, m.count));
}

Result<Value> StddevSamp(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Root(Quotient(m.xx, m.count - 1));
}

Result<Value> CovarPop(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Quotient(m.xy, m.count);
}

Result<Value> CovarSamp(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Quotient(m.xy, m.count - 1);
}

Result<Value> Corr(const std::deque<Row>& rows) {
  const Moments m = MomentsOf(rows);
  return Quotient(m.xy, std::sqrt(m.xx * m.yy));
}

Result<Value> Mode(const std::deque<Row>& rows) {
  std::vector<Value> values;
  for (const Row& row : rows) values.push_back(row[0]);
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
  Value best = Null{};
  std::size_t most = 0;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && CompareValues(values[end], values[i]) == 0) ++end;
    if (end - i > most) best = values[i], most = end - i;
    i = end;
  }
  return best;
}

Result<Value> Extreme(const std::deque<Row>& rows, int sign) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (best == nullptr || CompareValues(row[1], (*best)[1]) * sign > 0) best = &row;
  }
  return best == nullptr ? NullValue() : (*best)[0];
}

Result<Value> MaxBy(const std::deque<Row>& rows) {
  return Extreme(rows, 1);
}

Result<Value> MinBy(const std::deque<Row>& rows) {
  return Extreme(rows, -1);
}

// Rows of (flags, extra, tag, value, keys …), in the order the keys ask for and without repetition
// if 'D' says so.
std::vector<const Row*> Ordered(const std::deque<Row>& rows) {
  std::vector<const Row*> out;
  for (const Row& row : rows) out.push_back(&row);
  if (rows.empty()) return out;
  const std::string flags = std::get<std::string>(rows[0][0]);
  std::stable_sort(out.begin(), out.end(), [&](const Row* a, const Row* b) {
    for (std::size_t key = 4; key < a->size(); ++key) {
      int order = CompareValues((*a)[key], (*b)[key]);
      // NULLs last when ascending, as everywhere in the product.
      if (IsNull((*a)[key]) != IsNull((*b)[key])) order = -order;
      if (order != 0)
        return key - 3 < flags.size() && flags[key - 3] == 'd' ? order > 0 : order < 0;
    }
    return false;
  });
  if (flags.empty() || flags[0] != 'D') return out;
  auto less = [](const Row* a, const Row* b) { return CompareValues((*a)[3], (*b)[3]) < 0; };
  std::set<const Row*, decltype(less)> seen(less);
  std::vector<const Row*> distinct;
  for (const Row* row : out) {
    if (seen.insert(row).second) distinct.push_back(row);
  }
  return distinct;
}

Result<Value> Listagg(const std::deque<Row>& rows) {
  std::string out;
  bool first = true;
  for (const Row* row : Ordered(rows)) {
    const auto* separator = std::get_if<std::string>(&(*row)[1]);
    const auto* text = std::get_if<std::string>(&(*row)[3]);
    if (!first && separator != nullptr) out += *separator;
    if (text != nullptr) out += *text;
    first = false;
  }
  return Value(std::move(out));
}

char TagOf(const Row& row) {
  const auto* tag = std::get_if<std::string>(&row[2]);
  return tag == nullptr || tag->empty() ? 't' : tag->front();
}

Result<Value> ArrayAgg(const std::deque<Row>& rows) {
  json::array array;
  for (const Row* row : Ordered(rows)) array.push_back(ToJson(TagOf(*row), (*row)[3]));
  return Value(json::serialize(array));
}

Result<Value> ObjectAgg(const std::deque<Row>& rows) {
  json::object object;
  for (const Row& row : rows) {
    const auto* key = std::get_if<std::string>(&row[1]);
    if (key != nullptr) object.insert_or_assign(*key, ToJson(TagOf(row), row[3]));
  }
  return Value(json::serialize(object));
}

constexpr Aggregate kAggregates[] = {
    {"g$median", 1, Median, 0},
    {"g$percentile_cont", 3, PercentileCont, 1},
    {"g$percentile_disc", 3, PercentileDisc, 1},
    {"g$var_pop", 1, VarPop, 0},
    {"g$var_samp", 1, VarSamp, 0},
    {"g$stddev_pop", 1, StddevPop, 0},
    {"g$stddev_samp", 1, StddevSamp, 0},
    {"g$covar_pop", 2, CovarPop, 0},
    {"g$covar_samp", 2, CovarSamp, 0},
    {"g$corr", 2, Corr, 0},
    {"g$mode", 1, Mode, 0},
    {"g$max_by", 2, MaxBy, 1},
    {"g$min_by", 2, MinBy, 1},
    {"g$listagg", -1, Listagg, 3},
    {"g$array_agg", -1, ArrayAgg, 3},
    {"g$object_agg", -1, ObjectAgg, 3},
};

}  // namespace

Status RegisterAggregates(sqlite3* handle) {
  for (const Aggregate& aggregate : kAggregates) {
    int code = sqlite3_create_window_function(
        handle, aggregate.name, aggregate.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
        const_cast<Aggregate*>(&aggregate), Step, Final, Current, Inverse, nullptr);
    if (code != SQLITE_OK)
      return Fail(ErrorCode::kInternal, std::string("register ") + aggregate.name);
  }
  return {};
}

}  // namespace viv::engine::guest_sql
