// Texts to dates and timestamps, as DuckDB reads them; years before 1, zones and words for ends of time are unclear.
#pragma once

#include "cast_outcome.hpp"
#include "functions_time.hpp"

namespace tg {

namespace detail {

// Up to `most` digits at `at`, which moves behind them; -1 if there are none.
inline int short_number(std::string_view text, std::size_t& at, std::size_t most) {
    const std::size_t start = at;
    int value = 0;
    while (at < text.size() && at - start < most && toastergen::csv::is_digit(text[at])) {
        value = value * 10 + (text[at++] - '0');
    }
    return at == start ? -1 : value;
}

inline bool takes(std::string_view text, std::size_t& at, char wanted) {
    const bool there = at < text.size() && text[at] == wanted;
    at += there ? 1 : 0;
    return there;
}

// Does the text begin like a date, or is it a word that stands for one?
inline bool like_a_date(std::string_view text) {
    using toastergen::csv::is_digit;
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::string_view word = text.substr(at);
    if (word.size() >= 8 && toastergen::csv::same_word(word.substr(0, 8), "infinity")) {
        return true;
    }
    if (at == 0 && word.size() >= 5 && toastergen::csv::same_word(word.substr(0, 5), "epoch")) {
        return true;
    }
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    const char between = at < text.size() ? text[at] : '\0';
    return at > start && std::string_view("-/ \\").find(between) != std::string_view::npos && ++at < text.size() &&
           short_number(text, at, 2) >= 0 && takes(text, at, between) && short_number(text, at, 2) >= 0;
}

// A day at the front of a text; `at` moves behind it.
inline parsed<std::int32_t> read_day(std::string_view text, std::size_t& at) {
    const parsed<std::int32_t> failed{0, like_a_date(text) ? outcome::unclear : outcome::none};
    const int year = short_number(text, at, 4);
    const char between = at < text.size() ? text[at] : '\0';
    if (year < 0 || between == '\0' || std::string_view("-/ \\").find(between) == std::string_view::npos) {
        return failed;
    }
    ++at;
    const int month = short_number(text, at, 2);
    const bool parted = takes(text, at, between);
    const int day = short_number(text, at, 2);
    if (month < 0 || !parted || day < 0) {
        return failed;
    }
    if (year < 1) {
        return {0, outcome::unclear};
    }
    if (month < 1 || month > 12 || day < 1 || day > toastergen::csv::days_in_month(year, month)) {
        return {};
    }
    return {toastergen::csv::days_since_epoch(year, month, day), outcome::value};
}

// H:M[:S[.f]] at the end of a text, as microseconds; unclear if it is anything else.
inline parsed<std::int64_t> read_time(std::string_view text, std::size_t at) {
    const int hour = short_number(text, at, 2);
    const bool parted = takes(text, at, ':');
    const int minute = short_number(text, at, 2);
    int second = 0;
    std::int64_t fraction = 0;
    if (parted && minute >= 0 && takes(text, at, ':')) {
        second = short_number(text, at, 2);
        if (second >= 0 && takes(text, at, '.')) {
            const std::size_t start = at;
            for (std::int64_t unit = 100'000; at < text.size() && at - start < 9; ++at, unit /= 10) {
                if (!toastergen::csv::is_digit(text[at])) {
                    break;
                }
                fraction += (text[at] - '0') * unit;
            }
            second = at == start ? -1 : second;
        }
    }
    const bool good = hour >= 0 && hour < 24 && parted && minute >= 0 && minute < 60 && second >= 0 && second < 60;
    if (!good || at != text.size()) {
        return {0, outcome::unclear};
    }
    return {(std::int64_t{hour} * 3600 + minute * 60 + second) * second_length + fraction, outcome::value};
}

} // namespace detail

inline parsed<std::int32_t> read_date(std::string_view text) {
    text = detail::trimmed(text);
    std::size_t at = 0;
    const parsed<std::int32_t> day = detail::read_day(text, at);
    if (at == text.size() || day.what == outcome::unclear) {
        return day;
    }
    return {0, detail::like_a_date(text) ? outcome::unclear : outcome::none};
}

inline parsed<std::int64_t> read_timestamp(std::string_view text) {
    text = detail::trimmed(text);
    std::size_t at = 0;
    const parsed<std::int32_t> day = detail::read_day(text, at);
    if (day.what == outcome::unclear || (at == text.size() && day.what == outcome::none)) {
        return {0, day.what};
    }
    if (at == text.size()) {
        return {to_timestamp(day.value), outcome::value};
    }
    const outcome otherwise = detail::like_a_date(text) ? outcome::unclear : outcome::none;
    if (text[at] != ' ' && text[at] != 'T') {
        return {0, otherwise};
    }
    const parsed<std::int64_t> time = detail::read_time(text, at + 1);
    if (time.what != outcome::value) {
        // A shape that is ours but an hour that is not, or no shape of ours.
        return {0, otherwise};
    }
    return day.what == outcome::value ? parsed<std::int64_t>{to_timestamp(day.value) + time.value, outcome::value}
                                      : parsed<std::int64_t>{};
}

} // namespace tg
