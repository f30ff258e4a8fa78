#include "engine/functions/rrule_expand.h"

#include <algorithm>
#include <set>

#include "engine/functions/time_text.h"
#include "engine/functions/zone.h"
#include "engine/limits/work.h"

namespace viv::engine::functions {
namespace {

constexpr std::int64_t kPeriodsMax = 100'000;
constexpr std::size_t kPeriodBytes = 1000;  // what a period costs, beside a byte looked at
constexpr std::int64_t kHourMs = 3'600'000;

struct Days {  // of one period: first to last
  absl::CivilDay first;
  absl::CivilDay last;
};

int Floor(int a, int b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Whether `day` is the ordinal-th of its weekday in the range, counted from its begin or its end.
bool IsOrdinal(absl::CivilDay day, int ordinal, const Days& range) {
  if (ordinal > 0) return Floor(static_cast<int>(day - range.first), 7) + 1 == ordinal;
  return -(Floor(static_cast<int>(range.last - day), 7) + 1) == ordinal;
}

Days MonthOf(absl::CivilDay day) {
  absl::CivilMonth month(day);
  return {absl::CivilDay(month), absl::CivilDay(month + 1) - 1};
}

bool Contains(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// A rule with what its start says by default: the weekday, the day of the month, the month.
Rrule Completed(Rrule rule, absl::CivilDay start) {
  if (!rule.by_day.empty() || !rule.by_month_day.empty()) return rule;
  if (rule.frequency == Frequency::kWeekly) {
    rule.by_day = {ByDay{.ordinal = 0, .weekday = absl::GetWeekday(start)}};
  } else if (rule.frequency == Frequency::kMonthly) {
    rule.by_month_day = {start.day()};
  } else if (rule.frequency == Frequency::kYearly) {
    rule.by_month_day = {start.day()};
    if (rule.by_month.empty()) rule.by_month = {start.month()};
  }
  return rule;
}

class Selection {  // which days of a period a rule takes
 public:
  explicit Selection(const Rrule& rule) : rule_(rule) {}

  bool Takes(absl::CivilDay day, const Days& period) const {
    if (!rule_.by_month.empty() && !Contains(rule_.by_month, day.month())) return false;
    return TakesMonthDay(day) && TakesWeekday(day, period);
  }

 private:
  bool TakesMonthDay(absl::CivilDay day) const {
    if (rule_.by_month_day.empty()) return true;
    auto from_end = static_cast<int>(day - MonthOf(day).last) - 1;
    return Contains(rule_.by_month_day, day.day()) || Contains(rule_.by_month_day, from_end);
  }

  bool TakesWeekday(absl::CivilDay day, const Days& period) const {
    if (rule_.by_day.empty()) return true;
    absl::Weekday weekday = absl::GetWeekday(day);
    // "The first Monday" is of the year, unless months are named.
    bool of_month = rule_.frequency != Frequency::kYearly || !rule_.by_month.empty();
    return std::any_of(rule_.by_day.begin(), rule_.by_day.end(), [&](const ByDay& by_day) {
      if (by_day.weekday != weekday) return false;
      return by_day.ordinal == 0 ||
             IsOrdinal(day, by_day.ordinal, of_month ? MonthOf(day) : period);
    });
  }

  const Rrule& rule_;
};

// The chosen positions of a period's occurrences, in order.
template <typename T>
std::vector<T> AtPositions(const std::vector<T>& all, const std::vector<int>& positions) {
  if (positions.empty()) return all;
  std::vector<T> chosen;
  auto size = static_cast<int>(all.size());
  for (int i = 0; i < size; ++i) {
    if (Contains(positions, i + 1) || Contains(positions, i - size)) {
      chosen.push_back(all[static_cast<std::size_t>(i)]);
    }
  }
  return chosen;
}

absl::Time MomentOf(const RruleTime& time, absl::TimeZone zone) {
  return time.kind == RruleTime::Kind::kMoment ? time.moment : Moment(time.civil, zone);
}

class Exclusions {
 public:
  void Add(const RruleTime& time, absl::TimeZone zone) {
    if (time.kind == RruleTime::Kind::kDay) {
      days_.insert(absl::CivilDay(time.civil));
    } else {
      moments_.insert(absl::ToUnixSeconds(MomentOf(time, zone)));
    }
  }
  bool Has(absl::Time time, absl::TimeZone zone) const {
    if (moments_.contains(absl::ToUnixSeconds(time))) return true;
    return !days_.empty() && days_.contains(absl::CivilDay(zone.At(time).cs));
  }

 private:
  std::set<absl::CivilDay> days_;
  std::set<std::int64_t> moments_;  // in seconds: EXDATE says no less
};

bool IsAfter(absl::Time time, const RruleTime& until, absl::TimeZone zone) {
  switch (until.kind) {
    case RruleTime::Kind::kDay:
      return absl::CivilDay(zone.At(time).cs) > absl::CivilDay(until.civil);
    case RruleTime::Kind::kWall:
      return zone.At(time).cs > until.civil;
    case RruleTime::Kind::kMoment:
      return time > until.moment;
  }
  return false;
}

// Walks one rule, period by period, and puts what falls into the window into `found`.
class RuleWalk {
 public:
  RuleWalk(const Rrule& rule,
           const Recurrence& recurrence,
           const Window& window,
           const Exclusions& excluded)
      : zone_(recurrence.zone),
        start_(absl::FromUnixMillis(recurrence.start_ms)),
        wall_(zone_.At(start_)),
        start_day_(wall_.cs),
        rule_(Completed(rule, start_day_)),
        window_(window),
        excluded_(excluded) {}

  void Into(std::vector<std::int64_t>& found) {
    std::int64_t period = FirstPeriod();
    for (std::int64_t last = period + kPeriodsMax; period < last && !done_; ++period) {
      if (!ChargeWork(kPeriodBytes)) return;
      std::vector<absl::Time> times =
          rule_.frequency == Frequency::kHourly ? Hour(period) : Day(period);
      for (absl::Time time : AtPositions(times, rule_.by_set_position)) {
        if (!done_ && time >= start_) Visit(time, found);
      }
    }
  }

 private:
  // Periods that end before the window are skipped, unless they must be counted.
  std::int64_t FirstPeriod() const {
    if (rule_.count || window_.from_ms <= absl::ToUnixMillis(start_)) return 0;
    std::int64_t hours = (window_.from_ms - absl::ToUnixMillis(start_)) / kHourMs;
    std::int64_t longest = 1;  // in hours
    if (rule_.frequency == Frequency::kDaily) longest = 25;
    if (rule_.frequency == Frequency::kWeekly) longest = 7 * 24 + 1;
    if (rule_.frequency == Frequency::kMonthly) longest = 31 * 24 + 1;
    if (rule_.frequency == Frequency::kYearly) longest = 366 * 24;
    return std::max<std::int64_t>(0, hours / longest / rule_.interval - 2);
  }

  Days DaysOf(std::int64_t period) const {
    std::int64_t step = period * rule_.interval;
    switch (rule_.frequency) {
      case Frequency::kWeekly: {
        absl::CivilDay first = absl::PrevWeekday(start_day_ + 1, rule_.week_start) + 7 * step;
        return {first, first + 6};
      }
      case Frequency::kMonthly:
        return MonthOf(absl::CivilDay(absl::CivilMonth(start_day_) + step));
      case Frequency::kYearly: {
        absl::CivilYear year = absl::CivilYear(start_day_) + step;
        return {absl::CivilDay(year), absl::CivilDay(year + 1) - 1};
      }
      default:
        return {start_day_ + step, start_day_ + step};
    }
  }

  std::vector<absl::Time> Day(std::int64_t period) {
    Days days = DaysOf(period);
    std::vector<absl::Time> times;
    if (EndsWalk(Moment(absl::CivilSecond(days.first), zone_))) return times;
    Selection selection(rule_);
    absl::Duration subsecond = wall_.subsecond;
    std::int64_t seconds = wall_.cs - absl::CivilSecond(start_day_);
    for (absl::CivilDay day = days.first; day <= days.last; ++day) {
      if (!selection.Takes(day, days)) continue;
      // The start is taken as it is: its wall-clock time may come twice on that day.
      times.push_back(
          day == start_day_ ? start_ : Moment(absl::CivilSecond(day) + seconds, zone_) + subsecond);
    }
    return times;
  }

  // Hours are lengths of time: each hour of the day that has 25 is one.
  std::vector<absl::Time> Hour(std::int64_t period) {
    absl::Time time = start_ + absl::Hours(period * rule_.interval);
    if (EndsWalk(time)) return {};
    absl::CivilDay day(zone_.At(time).cs);
    if (!Selection(rule_).Takes(day, {day, day})) return {};
    return {time};
  }

  // A period that begins after the window, or after UNTIL, is the first of those not needed.
  bool EndsWalk(absl::Time begin) {
    done_ = done_ || absl::ToUnixMillis(begin) >= window_.to_ms ||
            absl::ToUnixMillis(begin) > kTimeMsMax ||
            (rule_.until && IsAfter(begin, *rule_.until, zone_));
    return done_;
  }

  void Visit(absl::Time time, std::vector<std::int64_t>& found) {
    std::int64_t ms = absl::ToUnixMillis(time);
    if (ms >= window_.to_ms || (rule_.until && IsAfter(time, *rule_.until, zone_))) {
      done_ = true;
      return;
    }
    ++counted_;
    if (ms >= window_.from_ms && !excluded_.Has(time, zone_)) {
      found.push_back(ms);
      ++found_;
    }
    done_ = found_ >= window_.limit || (rule_.count && counted_ >= *rule_.count);
  }

  absl::TimeZone zone_;
  absl::Time start_;
  absl::TimeZone::CivilInfo wall_;
  absl::CivilDay start_day_;
  Rrule rule_;
  const Window& window_;
  const Exclusions& excluded_;
  std::int64_t counted_ = 0;
  std::int64_t found_ = 0;
  bool done_ = false;
};

// What is an occurrence by being named: the added dates and, without a rule, the start.
std::vector<absl::Time> NamedTimes(const Recurrence& recurrence) {
  std::vector<absl::Time> times;
  for (const RruleTime& time : recurrence.set.added)
    times.push_back(MomentOf(time, recurrence.zone));
  if (recurrence.set.rules.empty()) times.push_back(absl::FromUnixMillis(recurrence.start_ms));
  return times;
}

}  // namespace

std::vector<std::int64_t> Expand(const Recurrence& recurrence, const Window& window) {
  std::vector<std::int64_t> found;
  if (window.limit <= 0 || window.from_ms >= window.to_ms) return found;
  Exclusions excluded;
  for (const RruleTime& time : recurrence.set.excluded) excluded.Add(time, recurrence.zone);
  for (absl::Time time : NamedTimes(recurrence)) {
    std::int64_t ms = absl::ToUnixMillis(time);
    bool inside = ms >= window.from_ms && ms < window.to_ms;
    if (inside && !excluded.Has(time, recurrence.zone)) found.push_back(ms);
  }
  for (const Rrule& rule : recurrence.set.rules) {
    RuleWalk(rule, recurrence, window, excluded).Into(found);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > static_cast<std::size_t>(window.limit))
    found.resize(static_cast<std::size_t>(window.limit));
  return found;
}

}  // namespace viv::engine::functions
