// Texts to numbers and truth values, as DuckDB reads them.
#pragma once

#include "cast_outcome.hpp"

#include <charconv>
#include <cstring>
#include <limits>
#include <string>

namespace tg {

namespace detail {

// A number in pieces: its digits are digits[0..count) of the text without the point and the underscores.
struct number_text {
    bool negative = false;
    bool valid = false;
    std::size_t first = 0;   // where the digits begin in the text
    std::size_t last = 0;    // and end, with point and underscores among them
    std::int64_t places = 0; // how many of them stand behind the point
    std::int64_t exponent = 0;
};

// Digits with single underscores between them; the place behind them, or `at` if there is none.
inline std::size_t skip_digits(std::string_view text, std::size_t at, std::int64_t& count) {
    using toastergen::csv::is_digit;
    while (at < text.size() && is_digit(text[at])) {
        ++at;
        ++count;
        if (at + 1 < text.size() && text[at] == '_' && is_digit(text[at + 1])) {
            ++at;
        }
    }
    return at;
}

inline bool read_exponent(std::string_view text, std::size_t at, number_text& out) {
    const bool negative = at < text.size() && text[at] == '-';
    at += at < text.size() && (text[at] == '-' || text[at] == '+') ? 1 : 0;
    std::int64_t count = 0;
    const std::size_t end = skip_digits(text, at, count);
    for (; at < end; ++at) {
        if (text[at] != '_' && out.exponent < 1'000'000) { // far beyond every type
            out.exponent = out.exponent * 10 + (text[at] - '0');
        }
    }
    out.exponent = negative ? -out.exponent : out.exponent;
    return count > 0 && end == text.size();
}

inline number_text split_number(std::string_view text) {
    number_text out;
    std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    out.negative = at == 1 && text[0] == '-';
    out.first = at;
    std::int64_t whole = 0;
    at = skip_digits(text, at, whole);
    if (at < text.size() && text[at] == '.') {
        at = skip_digits(text, at + 1, out.places);
    }
    out.last = at;
    const bool more = at < text.size();
    out.valid = whole + out.places > 0;
    if (out.valid && more) {
        out.valid = (text[at] == 'e' || text[at] == 'E') && read_exponent(text, at + 1, out);
    }
    return out;
}

// round(number * 10^scale), halves away from zero; none where it has more than 38 digits.
inline parsed<int128> scaled(std::string_view text, const number_text& number, int scale) {
    std::int64_t kept = number.exponent - number.places + scale; // powers of ten that the digits still lack
    int128 value = 0;
    std::int64_t dropped = kept < 0 ? -kept : 0;
    std::int64_t digits = 0;
    for (std::size_t at = number.first; at < number.last; ++at) {
        digits += text[at] != '.' && text[at] != '_' ? 1 : 0;
    }
    std::int64_t seen = 0;
    for (std::size_t at = number.first; at < number.last; ++at) {
        if (text[at] == '.' || text[at] == '_') {
            continue;
        }
        const int digit = text[at] - '0';
        ++seen;
        if (seen > digits - dropped) { // the first digit that is dropped decides
            value += seen == digits - dropped + 1 && digit >= 5 ? 1 : 0;
            break;
        }
        if (value >= power_of_ten(37)) { // no type has so many digits
            return {};
        }
        value = value * 10 + digit;
    }
    for (; kept > 0 && value != 0; --kept) {
        if (value >= power_of_ten(37)) { // no type has so many digits
            return {};
        }
        value *= 10;
    }
    return {number.negative ? -value : value, outcome::value};
}

inline bool other_integer(std::string_view text) {
    text.remove_prefix(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
    if (text.size() < 3 || text[0] != '0' || std::strchr("xXbBoO", text[1]) == nullptr) {
        return false;
    }
    return text.find_first_not_of("0123456789abcdefABCDEF_", 2) == std::string_view::npos;
}

inline bool other_double(std::string_view text) {
    using toastergen::csv::same_word;
    text.remove_prefix(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
    return same_word(text, "inf") || same_word(text, "infinity") || same_word(text, "nan");
}

} // namespace detail

// --- texts to numbers -----------------------------------------------------------------------------------------------

template <exact_number T> parsed<T> read_decimal(std::string_view text, int precision, int scale) {
    text = detail::trimmed(text);
    const detail::number_text number = detail::split_number(text);
    const parsed<int128> found = number.valid ? detail::scaled(text, number, scale) : parsed<int128>{};
    const int128 limit = power_of_ten(precision);
    const bool fits = found.what == outcome::value && found.value < limit && found.value > -limit;
    return fits ? parsed<T>{static_cast<T>(found.value), outcome::value} : parsed<T>{};
}

template <class T> parsed<T> read_integer(std::string_view text) {
    text = detail::trimmed(text);
    const detail::number_text number = detail::split_number(text);
    if (!number.valid) {
        return {T{}, detail::other_integer(text) ? outcome::unclear : outcome::none};
    }
    const parsed<int128> found = detail::scaled(text, number, 0);
    const bool fits = found.what == outcome::value && found.value >= std::numeric_limits<T>::min() &&
                      found.value <= std::numeric_limits<T>::max();
    return fits ? parsed<T>{static_cast<T>(found.value), outcome::value} : parsed<T>{};
}

inline parsed<double> read_double(std::string_view text) {
    text = detail::trimmed(text);
    if (!detail::split_number(text).valid) {
        return {0, detail::other_double(text) ? outcome::unclear : outcome::none};
    }
    text.remove_prefix(text[0] == '+' ? 1 : 0);
    std::string plain; // without underscores
    if (text.find('_') != std::string_view::npos) {
        for (const char letter : text) {
            plain += letter == '_' ? "" : std::string(1, letter);
        }
        text = plain;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
        // Too small is zero; too large would be infinite, which no column holds.
        const std::size_t exponent = text.find_first_of("eE");
        const bool small = exponent != std::string_view::npos && text[exponent + 1] == '-';
        return {text[0] == '-' ? -0.0 : 0.0, small ? outcome::value : outcome::unclear};
    }
    return {value, outcome::value};
}

inline parsed<bool> read_bool(std::string_view text) {
    using toastergen::csv::same_word;
    for (const char* word : {"true", "t", "1", "yes", "y"}) {
        if (same_word(text, word)) {
            return {true, outcome::value};
        }
    }
    for (const char* word : {"false", "f", "0", "no", "n"}) {
        if (same_word(text, word)) {
            return {false, outcome::value};
        }
    }
    return {};
}

} // namespace tg
