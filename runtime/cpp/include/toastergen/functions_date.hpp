// Functions of dates, which are days since 1970-01-01 in the proleptic Gregorian calendar.
#pragma once

#include "value.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tg {

namespace detail {

inline constexpr std::int64_t calendar_begin = -719162; // 0001-01-01
inline constexpr std::int64_t calendar_end = 2932896;   // 9999-12-31

constexpr std::chrono::year_month_day civil(std::int32_t day) {
    return std::chrono::sys_days{std::chrono::days{day}};
}

constexpr std::int32_t day_number(std::chrono::year_month_day date) {
    return static_cast<std::int32_t>(std::chrono::sys_days{date}.time_since_epoch().count());
}

constexpr std::int32_t first_of(std::chrono::year year, unsigned month) {
    return day_number(year / std::chrono::month{month} / 1);
}

// Days since Monday.
constexpr std::int32_t weekday(std::int32_t day) {
    const std::int32_t shifted = (day + 3) % 7; // day 0 was a Thursday
    return shifted < 0 ? shifted + 7 : shifted;
}

} // namespace detail

constexpr std::int64_t year(std::int32_t day) {
    return static_cast<int>(detail::civil(day).year());
}
constexpr std::int64_t month(std::int32_t day) {
    return static_cast<unsigned>(detail::civil(day).month());
}
constexpr std::int64_t day(std::int32_t date) {
    return static_cast<unsigned>(detail::civil(date).day());
}
constexpr std::int64_t quarter(std::int32_t day) {
    return (month(day) + 2) / 3;
}
// Sunday is 0.
constexpr std::int64_t day_of_week(std::int32_t day) {
    return (detail::weekday(day) + 1) % 7;
}
constexpr std::int64_t day_of_year(std::int32_t day) {
    return day - detail::first_of(detail::civil(day).year(), 1) + 1;
}
// The ISO week: a week belongs to the year of its Thursday.
constexpr std::int64_t week(std::int32_t day) {
    return (day_of_year(day - detail::weekday(day) + 3) - 1) / 7 + 1;
}

constexpr std::int32_t trunc_year(std::int32_t day) {
    return detail::first_of(detail::civil(day).year(), 1);
}
constexpr std::int32_t trunc_quarter(std::int32_t day) {
    const auto date = detail::civil(day);
    return detail::first_of(date.year(), (static_cast<unsigned>(date.month()) - 1) / 3 * 3 + 1);
}
constexpr std::int32_t trunc_month(std::int32_t day) {
    const auto date = detail::civil(day);
    return detail::first_of(date.year(), static_cast<unsigned>(date.month()));
}
constexpr std::int32_t trunc_week(std::int32_t day) {
    return day - detail::weekday(day);
}

// Results outside the calendar of columns raise the flag, like sums outside their type.
constexpr std::int32_t add_days(overflow_flag& flag, std::int32_t day, std::int64_t days) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(std::int64_t{day}, days, &result) || result < detail::calendar_begin ||
        result > detail::calendar_end) {
        flag.set = true;
        return day;
    }
    return static_cast<std::int32_t>(result);
}

// The same day of another month, or that month's last where it is shorter.
constexpr std::int32_t add_months(overflow_flag& flag, std::int32_t day, std::int64_t months) {
    const auto date = detail::civil(day);
    const std::int64_t before =
        std::int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
    std::int64_t after = 0;
    if (__builtin_add_overflow(before, months, &after) || after < 12 || after >= 10000 * 12) {
        flag.set = true;
        return day;
    }
    const auto last = std::chrono::year{static_cast<int>(after / 12)} /
                      std::chrono::month{static_cast<unsigned>(after % 12) + 1} / std::chrono::last;
    return detail::day_number(last.year() / last.month() / std::min(date.day(), last.day()));
}

constexpr std::int64_t days_between(std::int32_t later, std::int32_t earlier) {
    return std::int64_t{later} - earlier;
}

} // namespace tg
