// What CAST and TRY_CAST make of a text: a value, certainly none, or something that others may read and we do not.
#pragma once

#include "csv_value.hpp"
#include "nullable.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace tg {

enum class outcome : std::uint8_t { value, none, unclear };

template <class T> struct parsed {
    T value{};
    outcome what = outcome::none;
};

// CAST: anything but a value fails, and the change is taken back.
template <class T> T required(overflow_flag& flag, const parsed<T>& found) {
    flag.unreadable |= found.what != outcome::value;
    flag.set |= found.what != outcome::value;
    return found.value;
}

// TRY_CAST: NULL for what is certainly no value.
template <class T> nullable<T> optional(overflow_flag& flag, const parsed<T>& found) {
    flag.unreadable |= found.what == outcome::unclear;
    flag.set |= found.what == outcome::unclear;
    return {found.value, found.what == outcome::value};
}

// TRY_CAST of a number: NULL where the cast would leave the type.
template <class Cast> auto attempt(Cast&& cast) {
    overflow_flag doubt;
    const auto value = cast(doubt);
    return nullable<std::decay_t<decltype(value)>>{value, !doubt.set};
}

// Explicit casts to fewer digits; sums and products may have more than their type says until somebody asks.
template <exact_number T> T within(overflow_flag& flag, T value, int precision) {
    const int128 limit = power_of_ten(precision);
    flag.set |= value >= limit || value <= -limit;
    return value;
}

// DOUBLE to an integer: halves to even, as the machine rounds.
inline std::int64_t round_to_long(overflow_flag& flag, double value) {
    const double whole = std::nearbyint(value);
    if (!(whole >= -0x1p63 && whole < 0x1p63)) {
        flag.set = true;
        return 0;
    }
    return static_cast<std::int64_t>(whole);
}

namespace detail {

inline bool is_space(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

} // namespace detail

} // namespace tg
