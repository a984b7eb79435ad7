// A batch of rows that arrives over the Arrow C Data Interface: checked once, then read without checks.
#pragma once

#include "abi.h"
#include "column_check.hpp"
#include "nullable.hpp"
#include "value.hpp"

#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tg {

// A row that does not fit its relation.
class data_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A call that does not fit the relation, whatever its rows are: wrong columns, wrong formats.
class argument_error : public data_error {
public:
    using data_error::data_error;
};

// `format` is Arrow's. For input, "U" and "u" both stand for any string column.
struct column_spec {
    const char* name;
    const char* format;
    bool nullable = false; // may hold NULL
};

namespace detail {

inline bool load_bit(const void* bitmap, std::size_t index) {
    return (static_cast<const unsigned char*>(bitmap)[index / 8] >> index % 8 & 1u) != 0;
}

inline bool is_string_format(std::string_view format) {
    return format == "u" || format == "U";
}

inline int decimal_precision(const char* format) {
    return static_cast<int>(std::strtol(format + 2, nullptr, 10)); // after "d:"
}

} // namespace detail

template <class T> class column {
public:
    column() = default;
    column(const void* values, std::size_t offset) : m_values(static_cast<const char*>(values) + offset * sizeof(T)) {}
    T operator[](std::size_t row) const { return detail::load<T>(m_values, row); }
    const void* data() const { return m_values; }

private:
    const char* m_values = nullptr;
};

// 128-bit decimals on the wire; `T` is the width in which the engine computes.
template <class T> class decimal_column {
public:
    decimal_column() = default;
    explicit decimal_column(column<int128> values) : m_values(values) {}
    T operator[](std::size_t row) const { return static_cast<T>(m_values[row]); }

private:
    column<int128> m_values;
};

class bool_column {
public:
    bool_column() = default;
    bool_column(const void* bits, std::size_t offset) : m_bits(bits), m_offset(offset) {}
    bool operator[](std::size_t row) const { return detail::load_bit(m_bits, m_offset + row); }

private:
    const void* m_bits = nullptr;
    std::size_t m_offset = 0;
};

class text_column {
public:
    text_column() = default;
    text_column(const void* starts, const void* bytes, std::size_t offset, bool large)
        : m_starts(static_cast<const char*>(starts) + offset * (large ? 8 : 4)),
          m_bytes(static_cast<const char*>(bytes)), m_large(large) {}

    // Does every row start at or after the one before it?
    bool starts_rise(std::size_t rows) const {
        return m_large ? detail::all_starts_rise<std::int64_t>(m_starts, rows)
                       : detail::all_starts_rise<std::int32_t>(m_starts, rows);
    }
    // All bytes of the first rows in one piece; asked only once the starts are known to rise.
    std::string_view bytes(std::size_t rows) const {
        const std::int64_t start = start_of(0);
        const auto size = static_cast<std::size_t>(start_of(rows) - start);
        return size == 0 ? std::string_view{} : std::string_view{m_bytes + start, size};
    }

    // A row ends where the next one starts; there is one start more than there are rows.
    std::int64_t start_of(std::size_t row) const {
        return m_large ? detail::load<std::int64_t>(m_starts, row) : detail::load<std::int32_t>(m_starts, row);
    }
    std::string_view operator[](std::size_t row) const {
        const std::int64_t start = start_of(row);
        const auto size = static_cast<std::size_t>(start_of(row + 1) - start);
        return size == 0 ? std::string_view{} : std::string_view{m_bytes + start, size};
    }

private:
    const char* m_starts = nullptr;
    const char* m_bytes = nullptr;
    bool m_large = false;
};

// Which rows of a column are NULL.
class nulls {
public:
    nulls() = default;
    nulls(const void* validity, std::size_t offset) : m_validity(validity), m_offset(offset) {}
    bool operator[](std::size_t row) const {
        return m_validity != nullptr && !detail::load_bit(m_validity, m_offset + row);
    }

private:
    const void* m_validity = nullptr; // none: all rows are there
    std::size_t m_offset = 0;
};

template <class Column> class nullable_column {
public:
    nullable_column(Column values, nulls absent) : m_values(values), m_absent(absent) {}
    auto operator[](std::size_t row) const {
        using value = decltype(m_values[row]);
        return m_absent[row] ? null_of<value>() : nullable<value>{m_values[row]};
    }

private:
    Column m_values;
    nulls m_absent;
};

// Borrows the arrays and the weights: they must outlive it.
class batch {
public:
    batch(const ArrowSchema& schema, const ArrowArray& array, const std::int64_t* weights,
          std::span<const column_spec> expected)
        : m_schema(&schema), m_array(&array), m_weights(weights), m_expected(expected) {
        check_shape();
        m_size = static_cast<std::size_t>(array.length);
        for (std::size_t c = 0; c < expected.size(); ++c) {
            check_column(c);
        }
        check_weights();
    }

    std::size_t size() const { return m_size; }

    std::int64_t weight(std::size_t row) const { return m_weights == nullptr ? m_sign : m_sign * m_weights[row]; }

    bool negated() const { return m_sign < 0; }

    // The same rows with opposite weights: applying it takes the batch back.
    batch inverse() const {
        batch result = *this;
        result.m_sign = -m_sign;
        return result;
    }

    // The same rows with weights that are known to have negations.
    batch with_weights(const std::int64_t* weights) const {
        batch result = *this;
        result.m_weights = weights;
        return result;
    }

    column<std::int32_t> ints(std::size_t c) const { return plain<std::int32_t>(c); }
    column<std::int32_t> dates(std::size_t c) const { return plain<std::int32_t>(c); }
    column<std::int64_t> longs(std::size_t c) const { return plain<std::int64_t>(c); }
    column<std::int64_t> timestamps(std::size_t c) const { return plain<std::int64_t>(c); }
    column<double> doubles(std::size_t c) const { return plain<double>(c); }
    decimal_column<std::int64_t> decimals64(std::size_t c) const {
        return decimal_column<std::int64_t>{plain<int128>(c)};
    }
    decimal_column<int128> decimals128(std::size_t c) const { return decimal_column<int128>{plain<int128>(c)}; }
    bool_column bools(std::size_t c) const {
        return m_size == 0 ? bool_column{} : bool_column{child(c).buffers[1], offset(c)};
    }
    text_column texts(std::size_t c) const {
        const bool large = m_schema->children[c]->format[0] == 'U';
        const ArrowArray& array = child(c);
        return m_size == 0 ? text_column{} : text_column{array.buffers[1], array.buffers[2], offset(c), large};
    }

    nulls nulls_of(std::size_t c) const {
        const ArrowArray& array = child(c);
        return m_size == 0 || array.null_count == 0 ? nulls{} : nulls{array.buffers[0], offset(c)};
    }
    // A column that can be NULL, from the reader of its values.
    template <class Column> nullable_column<Column> with_nulls(std::size_t c, Column values) const {
        return {values, nulls_of(c)};
    }

private:
    const ArrowArray& child(std::size_t c) const { return *m_array->children[c]; }
    std::size_t offset(std::size_t c) const { return static_cast<std::size_t>(m_array->offset + child(c).offset); }

    template <class T> column<T> plain(std::size_t c) const {
        return m_size == 0 ? column<T>{} : column<T>{child(c).buffers[1], offset(c)};
    }

    [[noreturn]] void fail(std::size_t c, std::size_t row, const std::string& why) const {
        throw data_error("column \"" + std::string(m_expected[c].name) + "\", row " + std::to_string(row + 1) + ": " +
                         why);
    }
    [[noreturn]] void refuse(std::size_t c, const std::string& why) const {
        throw argument_error("column \"" + std::string(m_expected[c].name) + "\": " + why);
    }

    void check_shape() const {
        if (m_schema->format == nullptr || std::string_view(m_schema->format) != "+s") {
            throw argument_error("a batch must be a struct array (Arrow format \"+s\")");
        }
        const auto wanted = static_cast<std::int64_t>(m_expected.size());
        if (m_schema->n_children != wanted || m_array->n_children != wanted) {
            throw argument_error("the batch has " + std::to_string(m_schema->n_children) +
                                 " columns, the relation has " + std::to_string(wanted));
        }
        if (m_array->length < 0 || m_array->offset < 0) {
            throw argument_error("the batch has a negative length or offset");
        }
    }

    void check_column(std::size_t c) const {
        const char* format = m_schema->children[c]->format;
        const std::string_view wanted = m_expected[c].format;
        const bool both_strings = detail::is_string_format(format) && detail::is_string_format(wanted);
        if (!both_strings && wanted != format) {
            refuse(c,
                   "Arrow format \"" + std::string(format) + "\", the relation needs \"" + std::string(wanted) + '"');
        }
        if (m_schema->children[c]->dictionary != nullptr) {
            refuse(c, "dictionary-encoded arrays must be decoded first");
        }
        const ArrowArray& array = child(c);
        if (array.offset < 0 || array.length < m_array->offset + m_array->length) {
            refuse(c, "fewer values than the batch has rows");
        }
        if (array.n_buffers != (both_strings ? 3 : 2)) {
            refuse(c, "wrong number of Arrow buffers");
        }
        if (m_size != 0) {
            check_presence(c);
            check_values(c, wanted);
        }
    }

    void check_presence(std::size_t c) const {
        check_bitmap(c, *m_array, static_cast<std::size_t>(m_array->offset));
        if (!m_expected[c].nullable) {
            check_bitmap(c, child(c), offset(c));
        }
        if (child(c).buffers[1] == nullptr) {
            refuse(c, "the array has no values");
        }
    }

    void check_bitmap(std::size_t c, const ArrowArray& array, std::size_t start) const {
        const void* validity = array.null_count == 0 || array.n_buffers == 0 ? nullptr : array.buffers[0];
        for (std::size_t row = 0; validity != nullptr && row < m_size; ++row) {
            if (!detail::load_bit(validity, start + row)) {
                fail(c, row, "NULL is not allowed");
            }
        }
    }

    void check_values(std::size_t c, std::string_view wanted) const {
        if (wanted == "g") {
            check_doubles(c);
        } else if (wanted.starts_with("d:")) {
            check_decimals(c);
        } else if (detail::is_string_format(wanted)) {
            check_texts(c);
        }
    }

    void check_doubles(std::size_t c) const {
        const column<double> values = doubles(c);
        if (detail::all_finite(values.data(), m_size)) {
            return;
        }
        const nulls absent = nulls_of(c);
        for (std::size_t row = 0; row < m_size; ++row) {
            if (!absent[row] && !std::isfinite(values[row])) {
                fail(c, row, std::isnan(values[row]) ? "NaN is not allowed" : "an infinite value is not allowed");
            }
        }
    }

    void check_decimals(std::size_t c) const {
        const int128 limit = power_of_ten(detail::decimal_precision(m_expected[c].format));
        const column<int128> values = plain<int128>(c);
        if (detail::all_below(values.data(), m_size, limit)) {
            return;
        }
        const nulls absent = nulls_of(c);
        for (std::size_t row = 0; row < m_size; ++row) {
            if (!absent[row] && (values[row] >= limit || values[row] <= -limit)) {
                fail(c, row, "the value has more digits than decimal(" + std::string(m_expected[c].format + 2) + ")");
            }
        }
    }

    void check_texts(std::size_t c) const {
        const text_column values = texts(c);
        if (!values.starts_rise(m_size)) {
            name_bad_text(c, values);
        }
        if (values.start_of(m_size) != values.start_of(0) && child(c).buffers[2] == nullptr) {
            refuse(c, "the array has no string bytes");
        }
    }

    [[noreturn]] void name_bad_text(std::size_t c, const text_column& values) const {
        std::size_t row = 0;
        while (values.start_of(row) >= 0 && values.start_of(row + 1) >= values.start_of(row) &&
               values.start_of(row + 1) - values.start_of(row) <= std::int64_t{0xffffffff}) {
            ++row;
        }
        const bool too_long = values.start_of(row) >= 0 && values.start_of(row + 1) > values.start_of(row);
        fail(c, row,
             too_long ? "a string of 4 GiB or more is not allowed" : "the string offsets of the array run backwards");
    }

    void check_weights() const {
        for (std::size_t row = 0; m_weights != nullptr && row < m_size; ++row) {
            if (m_weights[row] == std::numeric_limits<std::int64_t>::min()) {
                throw data_error("row " + std::to_string(row + 1) + ": the weight " + std::to_string(m_weights[row]) +
                                 " has no negation"); // so the batch could not be taken back
            }
        }
    }

    const ArrowSchema* m_schema;
    const ArrowArray* m_array;
    const std::int64_t* m_weights;
    std::span<const column_spec> m_expected;
    std::size_t m_size = 0;
    std::int64_t m_sign = 1;
};

} // namespace tg
