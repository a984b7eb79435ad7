// Functions of timestamps, which are microseconds since 1970-01-01 without a time zone, in the calendar of dates.
#pragma once

#include "functions_date.hpp"

#include <cstdint>

namespace tg {

namespace detail {

inline constexpr std::int64_t second_length = 1'000'000;
inline constexpr std::int64_t day_length = 86'400 * second_length;
inline constexpr std::int64_t time_begin = calendar_begin * day_length;
inline constexpr std::int64_t time_end = (calendar_end + 1) * day_length - 1;
inline constexpr std::int64_t first_bucket = 10'959 * day_length; // 2000-01-03, a Monday

// Towards the past, also before 1970.
constexpr std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) {
    return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

constexpr std::int64_t time_of_day(std::int64_t at) {
    return at - floor_divide(at, day_length) * day_length;
}

} // namespace detail

constexpr std::int32_t to_date(std::int64_t at) {
    return static_cast<std::int32_t>(detail::floor_divide(at, detail::day_length));
}
constexpr std::int64_t to_timestamp(std::int32_t day) {
    return std::int64_t{day} * detail::day_length;
}

constexpr std::int64_t hour(std::int64_t at) {
    return detail::time_of_day(at) / (3600 * detail::second_length);
}
constexpr std::int64_t minute(std::int64_t at) {
    return detail::time_of_day(at) / (60 * detail::second_length) % 60;
}
// With the seconds of the minute, as are milliseconds.
constexpr std::int64_t microsecond(std::int64_t at) {
    return detail::time_of_day(at) % (60 * detail::second_length);
}
constexpr std::int64_t millisecond(std::int64_t at) {
    return microsecond(at) / 1000;
}
constexpr std::int64_t second(std::int64_t at) {
    return microsecond(at) / detail::second_length;
}

constexpr double epoch(std::int64_t at) {
    return static_cast<double>(at) / 1e6;
}
constexpr std::int64_t epoch_ms(std::int64_t at) {
    return rescale_down(at, 3); // halves away from 1970, as DuckDB has it
}
constexpr std::int64_t epoch_us(std::int64_t at) {
    return at;
}

// For units that divide the day.
constexpr std::int64_t trunc_time(std::int64_t at, std::int64_t unit) {
    return detail::floor_divide(at, unit) * unit;
}

constexpr std::int64_t microseconds_between(std::int64_t later, std::int64_t earlier) {
    return later - earlier; // both lie in the calendar, so this fits
}

// Results outside the calendar raise the flag, like sums outside their type.
constexpr std::int64_t add_microseconds(overflow_flag& flag, std::int64_t at, std::int64_t count) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(at, count, &result) || result < detail::time_begin || result > detail::time_end) {
        flag.set = true;
        return at;
    }
    return result;
}

constexpr std::int64_t add_months(overflow_flag& flag, std::int64_t at, std::int64_t months) {
    return to_timestamp(add_months(flag, to_date(at), months)) + detail::time_of_day(at);
}

// The start of a bucket of `width` microseconds; one bucket starts on a certain Monday.
constexpr std::int64_t time_bucket(overflow_flag& flag, std::int64_t width, std::int64_t at) {
    const std::int64_t passed = at - detail::first_bucket;
    std::int64_t start = 0;
    flag.set |= __builtin_mul_overflow(detail::floor_divide(passed, width), width, &start);
    return add_microseconds(flag, detail::first_bucket, start);
}

} // namespace tg
