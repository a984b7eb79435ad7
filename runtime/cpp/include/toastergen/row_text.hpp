// Rows in messages, written as in SQL.
#pragma once

#include "row_values.hpp"

#include <charconv>
#include <cstdio>
#include <string>

namespace tg {

namespace detail {

inline std::string decimal_text(int128 number, int scale) {
    std::string digits;
    for (auto rest = static_cast<uint128>(number < 0 ? -number : number); rest != 0; rest /= 10) {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    const auto places = static_cast<std::size_t>(scale);
    if (digits.size() <= places) {
        digits.insert(0, places + 1 - digits.size(), '0');
    }
    if (places != 0) {
        digits.insert(digits.size() - places, ".");
    }
    return (number < 0 ? "-" : "") + digits;
}

inline std::string double_text(double number) {
    char text[32];
    const std::to_chars_result end = std::to_chars(text, text + sizeof text, number);
    return {text, end.ptr};
}

inline std::string date_text(std::int64_t days) {
    // Days are counted from the first of March of the year 0, so that leap days come last.
    const std::int64_t shifted = days + 719468;
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const std::int64_t of_era = shifted - era * 146097;
    const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const std::int64_t month = (5 * of_year + 2) / 153;
    const auto day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
    const auto named = static_cast<int>(month < 10 ? month + 3 : month - 9);
    char text[32];
    std::snprintf(text, sizeof text, "%04d-%02d-%02d", static_cast<int>(year + era * 400) + (named <= 2 ? 1 : 0), named,
                  day);
    return text;
}

inline std::string timestamp_text(std::int64_t micros) {
    constexpr std::int64_t per_day = 86'400'000'000;
    const std::int64_t days = micros >= 0 ? micros / per_day : (micros + 1) / per_day - 1;
    const auto of_day = static_cast<long long>(micros - days * per_day);
    char text[32];
    std::snprintf(text, sizeof text, " %02lld:%02lld:%02lld.%06lld", of_day / 3'600'000'000, of_day / 60'000'000 % 60,
                  of_day / 1'000'000 % 60, of_day % 1'000'000);
    return date_text(days) + text;
}

// Long strings are cut, never in the middle of a character.
inline std::string quoted_text(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::size_t size = std::min(text.size(), longest);
    while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) {
        --size;
    }
    std::string result = "'";
    for (const char byte : text.substr(0, size)) {
        result += byte == '\'' ? "''" : std::string(1, byte);
    }
    return result + (size < text.size() ? "…'" : "'");
}

inline std::string value_text(const column_spec& column, const tg_value& value) {
    switch (value.kind) {
    case TG_NULL:
        return "NULL";
    case TG_DOUBLE:
        return double_text(value.d);
    case TG_DECIMAL: {
        const char* comma = std::strchr(column.format, ',');
        return decimal_text(wide(value), comma == nullptr ? 0 : std::atoi(comma + 1));
    }
    case TG_DATE:
        return date_text(value.i);
    case TG_TIMESTAMP:
        return timestamp_text(value.i);
    case TG_BOOL:
        return value.i != 0 ? "true" : "false";
    case TG_STRING:
        return quoted_text({value.s.data, value.s.size});
    default:
        return std::to_string(value.i);
    }
}

} // namespace detail

inline std::string row_text(const relation_spec& relation, const tg_value* values) {
    std::string result = "(";
    for (std::size_t c = 0; c < relation.columns.size(); ++c) {
        result += (c == 0 ? "" : ", ") + detail::value_text(relation.columns[c], values[c]);
    }
    return result + ")";
}

// The key of a row: `order_id = 7`.
inline std::string key_text(const relation_spec& relation, const tg_value* values) {
    std::string result;
    for (const std::uint32_t c : relation.key) {
        result += (result.empty() ? "" : ", ") + std::string(relation.columns[c].name) + " = " +
                  detail::value_text(relation.columns[c], values[c]);
    }
    return result;
}

} // namespace tg
