// The checks that stand between foreign rows and an engine: after them every value lies in its column's type.
#pragma once

#include "csv_value.hpp"
#include "relation.hpp"
#include "row_values.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace tg {

inline constexpr std::int64_t first_date = -719162; // 0001-01-01
inline constexpr std::int64_t last_date = 2932896;  // 9999-12-31
inline constexpr std::int64_t day_length = 86'400'000'000;
inline constexpr std::int64_t first_timestamp = first_date * day_length;
inline constexpr std::int64_t last_timestamp = (last_date + 1) * day_length - 1;

namespace detail {

inline const char* kind_name(std::int32_t kind) {
    static constexpr const char* names[] = {"unknown", "int",  "double", "decimal",  "date",
                                            "string",  "bool", "NULL",   "timestamp"};
    return kind >= TG_INT && kind <= TG_TIMESTAMP ? names[kind] : names[0];
}

inline std::string type_name(const char* format) {
    switch (format[0]) {
    case 'l':
        return "long";
    case 'd':
        return "decimal(" + std::string(format + 2) + ")";
    default:
        return kind_name(wanted_kind(format));
    }
}

// Why a value of the right kind is outside its column, or an empty text.
inline std::string misfit(const char* format, const tg_value& value) {
    switch (value.kind) {
    case TG_INT:
        if (format[0] == 'i' && (value.i < std::numeric_limits<std::int32_t>::min() ||
                                 value.i > std::numeric_limits<std::int32_t>::max())) {
            return std::to_string(value.i) + " is outside the range of int";
        }
        return {};
    case TG_DOUBLE:
        return std::isfinite(value.d) ? ""
               : std::isnan(value.d)  ? "NaN is not allowed"
                                      : "an infinite value is not allowed";
    case TG_DECIMAL: {
        const int128 limit = power_of_ten(decimal_precision(format));
        const int128 number = wide(value);
        return number < limit && number > -limit ? "" : "the value has more digits than " + type_name(format);
    }
    case TG_DATE:
        return value.i >= first_date && value.i <= last_date
                   ? ""
                   : std::to_string(value.i) + " days since 1970-01-01 is outside 0001-01-01 … 9999-12-31";
    case TG_TIMESTAMP:
        return value.i >= first_timestamp && value.i <= last_timestamp
                   ? ""
                   : std::to_string(value.i) + " microseconds since 1970-01-01 is outside the years 0001 … 9999";
    case TG_BOOL:
        return value.i == 0 || value.i == 1 ? "" : std::to_string(value.i) + " is neither 0 nor 1";
    default:
        if (value.s.data == nullptr && value.s.size != 0) {
            return "a string without bytes";
        }
        if (value.s.size > std::numeric_limits<std::uint32_t>::max()) {
            return "a string of 4 GiB or more is not allowed";
        }
        return toastergen::csv::is_utf8({value.s.data, value.s.size}) ? "" : "the string is not valid UTF-8";
    }
}

inline std::string place(const relation_spec& relation, const column_spec& column) {
    return "relation \"" + std::string(relation.name) + "\", column \"" + column.name + "\": ";
}

} // namespace detail

// Throws argument_error or data_error for the first value that does not fit.
inline void check_row(const relation_spec& relation, const tg_value* values, std::uint64_t count) {
    if (count != relation.columns.size() || (values == nullptr && count != 0)) {
        throw argument_error("relation \"" + std::string(relation.name) + "\" has " +
                             std::to_string(relation.columns.size()) + " columns, the row has " +
                             std::to_string(count) + " values");
    }
    for (std::size_t c = 0; c < relation.columns.size(); ++c) {
        const column_spec& column = relation.columns[c];
        if (values[c].kind == TG_NULL) {
            if (!column.nullable) {
                throw data_error(detail::place(relation, column) + "NULL is not allowed");
            }
            continue;
        }
        if (values[c].kind != detail::wanted_kind(column.format)) {
            throw argument_error(detail::place(relation, column) + "a value of kind " +
                                 detail::kind_name(values[c].kind) + ", the column is " +
                                 detail::type_name(column.format));
        }
        if (std::string why = detail::misfit(column.format, values[c]); !why.empty()) {
            throw data_error(detail::place(relation, column) + why);
        }
    }
}

namespace detail {

inline void check_dates(const column_spec& column, const nulls& absent, const tg::column<std::int32_t>& dates,
                        std::size_t rows) {
    if (all_in_range(dates.data(), rows, first_date, last_date)) {
        return;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (!absent[row] && (dates[row] < first_date || dates[row] > last_date)) {
            throw data_error("column \"" + std::string(column.name) + "\", row " + std::to_string(row + 1) +
                             ": the date is outside 0001-01-01 … 9999-12-31");
        }
    }
}

inline void check_timestamps(const column_spec& column, const nulls& absent, const tg::column<std::int64_t>& values,
                             std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        if (!absent[row] && (values[row] < first_timestamp || values[row] > last_timestamp)) {
            throw data_error("column \"" + std::string(column.name) + "\", row " + std::to_string(row + 1) +
                             ": the timestamp is outside the years 0001 … 9999");
        }
    }
}

inline void check_utf8(const column_spec& column, const nulls& absent, const text_column& texts, std::size_t rows) {
    const std::string_view bytes = texts.bytes(rows);
    if (all_ascii(bytes.data(), bytes.size())) {
        return;
    }
    // Row by row: bytes that are good together may have been cut in the middle of a character.
    for (std::size_t row = 0; row < rows; ++row) {
        if (!absent[row] && !toastergen::csv::is_utf8(texts[row])) {
            throw data_error("column \"" + std::string(column.name) + "\", row " + std::to_string(row + 1) +
                             ": the string is not valid UTF-8");
        }
    }
}

} // namespace detail

// What a batch does not check by itself: dates and timestamps outside the calendar and strings that are not UTF-8.
inline void check_batch(const relation_spec& relation, const batch& rows) {
    for (std::size_t c = 0; rows.size() != 0 && c < relation.columns.size(); ++c) {
        const column_spec& column = relation.columns[c];
        const std::int32_t kind = detail::wanted_kind(column.format);
        if (kind == TG_DATE) {
            detail::check_dates(column, rows.nulls_of(c), rows.dates(c), rows.size());
        } else if (kind == TG_TIMESTAMP) {
            detail::check_timestamps(column, rows.nulls_of(c), rows.timestamps(c), rows.size());
        } else if (kind == TG_STRING) {
            detail::check_utf8(column, rows.nulls_of(c), rows.texts(c), rows.size());
        }
    }
}

} // namespace tg
