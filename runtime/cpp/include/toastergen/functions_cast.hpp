// CAST from and to strings: texts are written and read as DuckDB does it.
#pragma once

#include "cast_numbers.hpp"
#include "cast_times.hpp"
#include "scratch.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace tg {

namespace detail {

inline std::string_view kept(scratch& memory, std::string_view text) {
    char* const place = memory.allocate(text.size());
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
}

struct digits {
    char text[48];
    std::size_t size = 0;

    void put(char letter) { text[size++] = letter; }
    void put(std::int64_t value, int width) {
        for (int place = width - 1; place >= 0; --place) {
            std::int64_t unit = 1;
            for (int times = 0; times < place; ++times) {
                unit *= 10;
            }
            put(static_cast<char>('0' + value / unit % 10));
        }
    }
    std::string_view view() const { return {text, size}; }
};

inline void put_date(digits& out, std::int32_t day) {
    out.put(year(day), 4);
    out.put('-');
    out.put(month(day), 2);
    out.put('-');
    out.put(tg::day(day), 2);
}

} // namespace detail

inline std::string_view decimal_text(scratch& memory, int128 value, int scale) {
    char reversed[48];
    std::size_t size = 0;
    auto rest = static_cast<uint128>(value);
    rest = value < 0 ? ~rest + 1 : rest;
    for (int place = 0; rest != 0 || place <= scale; ++place) {
        if (place == scale && scale > 0) {
            reversed[size++] = '.';
        }
        reversed[size++] = static_cast<char>('0' + static_cast<int>(rest % 10));
        rest /= 10;
    }
    detail::digits out;
    if (value < 0) {
        out.put('-');
    }
    while (size > 0) {
        out.put(reversed[--size]);
    }
    return detail::kept(memory, out.view());
}

inline std::string_view integer_text(scratch& memory, std::int64_t value) {
    return decimal_text(memory, value, 0);
}

inline std::string_view bool_text(bool value) {
    return value ? "true" : "false";
}

inline std::string_view date_text(scratch& memory, std::int32_t day) {
    detail::digits out;
    detail::put_date(out, day);
    return detail::kept(memory, out.view());
}

inline std::string_view timestamp_text(scratch& memory, std::int64_t at) {
    detail::digits out;
    detail::put_date(out, to_date(at));
    out.put(' ');
    out.put(hour(at), 2);
    out.put(':');
    out.put(minute(at), 2);
    out.put(':');
    out.put(second(at), 2);
    if (const std::int64_t fraction = microsecond(at) % detail::second_length; fraction != 0) {
        out.put('.');
        out.put(fraction, 6);
        while (out.text[out.size - 1] == '0') {
            --out.size;
        }
    }
    return detail::kept(memory, out.view());
}

// The shortest digits that read back, with an exponent outside 1e-4 … 1e16.
inline std::string_view double_text(scratch& memory, double value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    }
    char text[40];
    const double size = std::fabs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto style = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char* end = std::to_chars(text, text + sizeof text - 2, value, style).ptr;
    if (plain && std::memchr(text, '.', static_cast<std::size_t>(end - text)) == nullptr) {
        *end++ = '.';
        *end++ = '0';
    }
    return detail::kept(memory, {text, static_cast<std::size_t>(end - text)});
}

} // namespace tg
