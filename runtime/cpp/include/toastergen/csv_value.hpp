// Text to typed values, strictly: what does not denote exactly one value of the type is refused, never rounded.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace toastergen::csv {

__extension__ typedef __int128 int128;

enum class kind : std::uint8_t { int32, int64, float64, decimal, date, timestamp, string, boolean };

struct column_type {
    kind what = kind::string;
    int precision = 0;
    int scale = 0;
};

// The spelling users know from M3 and from error messages.
inline std::string type_name(const column_type& type) {
    switch (type.what) {
    case kind::int32:
        return "int";
    case kind::int64:
        return "long";
    case kind::float64:
        return "double";
    case kind::decimal:
        return "decimal(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case kind::date:
        return "date";
    case kind::timestamp:
        return "timestamp";
    case kind::string:
        return "string";
    case kind::boolean:
        return "bool";
    }
    return "unknown";
}

// Why a text was refused; the reader turns it into a sentence.
enum class verdict : std::uint8_t { ok, malformed, out_of_range, inexact };

// from_chars knows no leading plus; people write it. "+-1" stays malformed.
inline std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    return text;
}

template <class number> verdict parse_number(std::string_view text, number& out) {
    text = without_plus(text);
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    if (error == std::errc::invalid_argument || stop != end) {
        return verdict::malformed;
    }
    return error == std::errc{} ? verdict::ok : verdict::out_of_range;
}

inline verdict parse_double(std::string_view text, double& out) {
    const verdict found = parse_number(text, out);
    // "nan" and "inf" are numbers to from_chars, but a sum that meets one never recovers.
    return found == verdict::ok && !std::isfinite(out) ? verdict::malformed : found;
}

inline bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

inline verdict parse_decimal(std::string_view text, int precision, int scale, int128& out) {
    std::size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        at = 1;
    }
    int128 value = 0;
    int significant = 0;
    int fraction = 0;
    bool point = false;
    bool any = false;
    bool lost = false;
    for (; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(letter)) {
            return verdict::malformed;
        }
        any = true;
        if (point && fraction == scale) {
            lost = lost || letter != '0';
            continue;
        }
        fraction += point ? 1 : 0;
        significant += significant > 0 || letter != '0' ? 1 : 0;
        if (significant <= precision) {
            value = value * 10 + (letter - '0');
        }
    }
    if (!any) {
        return verdict::malformed;
    }
    if (lost) {
        return verdict::inexact;
    }
    // Missing fractional digits are zeros, and they count: 1234 does not fit decimal(5,2).
    if (significant > 0 && significant + (scale - fraction) > precision) {
        return verdict::out_of_range;
    }
    for (; fraction < scale; ++fraction) {
        value *= 10;
    }
    out = negative ? -value : value;
    return verdict::ok;
}

inline bool two_digits(std::string_view text, std::size_t at, int& out) {
    if (!is_digit(text[at]) || !is_digit(text[at + 1])) {
        return false;
    }
    out = (text[at] - '0') * 10 + (text[at + 1] - '0');
    return true;
}

inline int days_in_month(int year, int month) {
    constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Days since 1970-01-01 in the proleptic Gregorian calendar. Years start in March here, so the leap day comes last.
inline std::int32_t days_since_epoch(int year, int month, int day) {
    const int y = month <= 2 ? year - 1 : year;
    const int era = y / 400;
    const int year_of_era = y - era * 400;
    const int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

// YYYY-MM-DD and nothing else, year 0001 to 9999.
inline verdict parse_date(std::string_view text, std::int32_t& out) {
    int century = 0;
    int year = 0;
    int month = 0;
    int day = 0;
    if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !two_digits(text, 0, century) ||
        !two_digits(text, 2, year) || !two_digits(text, 5, month) || !two_digits(text, 8, day)) {
        return verdict::malformed;
    }
    year += century * 100;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return verdict::out_of_range;
    }
    out = days_since_epoch(year, month, day);
    return verdict::ok;
}

// HH:MM[:SS[.ffffff]] as microseconds of a day.
inline verdict parse_time(std::string_view text, std::int64_t& out) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    const bool shape = text.size() == 5 || text.size() == 8 || (text.size() > 9 && text.size() <= 15 && text[8] == '.');
    if (!shape || text[2] != ':' || !two_digits(text, 0, hour) || !two_digits(text, 3, minute) ||
        (text.size() > 5 && (text[5] != ':' || !two_digits(text, 6, second)))) {
        return verdict::malformed;
    }
    std::int64_t fraction = 0;
    std::int64_t unit = 100'000;
    for (std::size_t at = 9; at < text.size(); ++at, unit /= 10) {
        if (!is_digit(text[at])) {
            return verdict::malformed;
        }
        fraction += (text[at] - '0') * unit;
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return verdict::out_of_range;
    }
    out = (std::int64_t{hour} * 3600 + minute * 60 + second) * 1'000'000 + fraction;
    return verdict::ok;
}

// YYYY-MM-DD[ HH:MM[:SS[.ffffff]]] with a blank or a T, and no time zone; as microseconds since 1970-01-01.
inline verdict parse_timestamp(std::string_view text, std::int64_t& out) {
    std::int32_t day = 0;
    std::int64_t time = 0;
    if (const verdict found = parse_date(text.substr(0, 10), day); found != verdict::ok) {
        return found;
    }
    if (text.size() > 10) {
        const bool parted = text[10] == ' ' || text[10] == 'T';
        const verdict found = parted ? parse_time(text.substr(11), time) : verdict::malformed;
        if (found != verdict::ok) {
            return found;
        }
    }
    out = std::int64_t{day} * 86'400'000'000 + time;
    return verdict::ok;
}

inline char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Case folding for ASCII letters only: column names are compared the way SQL folds unquoted names.
inline bool same_word(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) {
        return false;
    }
    for (std::size_t at = 0; at < left.size(); ++at) {
        if (lower(left[at]) != lower(right[at])) {
            return false;
        }
    }
    return true;
}

inline verdict parse_bool(std::string_view text, bool& out) {
    out = text == "1" || same_word(text, "true") || same_word(text, "t");
    return out || text == "0" || same_word(text, "false") || same_word(text, "f") ? verdict::ok : verdict::malformed;
}

// The length of the well-formed UTF-8 sequence at `at`, or 0: no overlong forms, no surrogates, nothing past U+10FFFF.
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < length) {
        return 0;
    }
    const unsigned second = byte(1);
    const unsigned low = lead == 0xE0 ? 0xA0u : lead == 0xF0 ? 0x90u : 0x80u;
    const unsigned high = lead == 0xED ? 0x9Fu : lead == 0xF4 ? 0x8Fu : 0xBFu;
    if (second < low || second > high) {
        return 0;
    }
    for (std::size_t offset = 2; offset < length; ++offset) {
        if ((byte(offset) & 0xC0u) != 0x80u) {
            return 0;
        }
    }
    return length;
}

inline bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

// A text as it may stand in a message: quoted, short, printable, valid UTF-8 whatever the file holds.
inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        if (at >= longest) {
            out += "…";
            break;
        }
        const std::size_t length = utf8_length(text, at);
        const auto code = static_cast<unsigned char>(text[at]);
        if (length == 0 || code < 0x20 || code == 0x7F) {
            out += {'\\', 'x', hex[code >> 4], hex[code & 15u]};
            at += 1;
        } else {
            out += text.substr(at, length);
            at += length;
        }
    }
    return out + "\"";
}

} // namespace toastergen::csv
