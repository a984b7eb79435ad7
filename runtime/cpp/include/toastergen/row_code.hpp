// A row as bytes and back: the columns of the key first, so that the key is a prefix of its row.
//
// Equal rows have equal bytes: doubles are normalised as in the keys of maps. No key's bytes are the beginning of
// another key's: all columns but strings have a fixed width, and strings begin with their size.
#pragma once

#include "row_values.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace tg {

class row_code {
public:
    explicit row_code(const relation_spec& relation)
        : m_columns(relation.columns), m_order(relation.key.begin(), relation.key.end()), m_keys(relation.key.size()) {
        for (std::uint32_t c = 0; c < relation.columns.size(); ++c) {
            if (std::find(relation.key.begin(), relation.key.end(), c) == relation.key.end()) {
                m_order.push_back(c);
            }
        }
    }

    // The size of the key within `out`.
    std::size_t encode(const tg_value* values, std::string& out) const {
        out.clear();
        std::size_t key_size = 0;
        for (std::size_t at = 0; at < m_order.size(); ++at) {
            put(m_columns[m_order[at]], values[m_order[at]], out);
            key_size = at + 1 == m_keys ? out.size() : key_size;
        }
        return key_size;
    }

    // The values of the key alone, in the order in which it is declared.
    void encode_key(const tg_value* values, std::string& out) const {
        out.clear();
        for (std::size_t at = 0; at < m_keys; ++at) {
            put(m_columns[m_order[at]], values[at], out);
        }
    }

    // How much of a row is its key.
    std::size_t key_size(std::string_view row) const {
        const char* from = row.data();
        tg_value ignored;
        for (std::size_t at = 0; at < m_keys; ++at) {
            from = get(m_columns[m_order[at]], from, ignored);
        }
        return static_cast<std::size_t>(from - row.data());
    }

    // Strings are borrowed from `row`.
    void decode(std::string_view row, tg_value* out) const {
        const char* from = row.data();
        for (const std::uint32_t c : m_order) {
            from = get(m_columns[c], from, out[c]);
        }
    }

    std::size_t width() const { return m_columns.size(); }

private:
    template <class T> static void push(std::string& out, T value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        out.append(bytes, sizeof value);
    }

    template <class T> static const char* pull(const char* from, T& value) {
        std::memcpy(&value, from, sizeof value);
        return from + sizeof value;
    }

    static bool is_wide_decimal(const column_spec& column) { return detail::decimal_precision(column.format) > 18; }

    static void put(const column_spec& column, const tg_value& value, std::string& out) {
        if (column.nullable) {
            out.push_back(value.kind == TG_NULL ? '\0' : '\1');
            if (value.kind == TG_NULL) {
                return;
            }
        }
        switch (detail::wanted_kind(column.format)) {
        case TG_DOUBLE:
            return push(out, key_bits(value.d));
        case TG_DECIMAL:
            return is_wide_decimal(column) ? push(out, detail::wide(value)) : push(out, value.decimal.low);
        case TG_BOOL:
            return out.push_back(static_cast<char>(value.i));
        case TG_STRING:
            push(out, static_cast<std::uint32_t>(value.s.size));
            if (value.s.size != 0) {
                out.append(value.s.data, value.s.size);
            }
            return;
        default:
            return detail::is_narrow(column.format) ? push(out, static_cast<std::int32_t>(value.i))
                                                    : push(out, value.i);
        }
    }

    static const char* get(const column_spec& column, const char* from, tg_value& value) {
        value.kind = detail::wanted_kind(column.format);
        if (column.nullable && *from++ == '\0') {
            value.kind = TG_NULL;
            return from;
        }
        switch (value.kind) {
        case TG_DOUBLE:
            return pull(from, value.d);
        case TG_DECIMAL:
            return get_decimal(column, from, value);
        case TG_BOOL:
            value.i = *from;
            return from + 1;
        case TG_STRING: {
            std::uint32_t size = 0;
            from = pull(from, size);
            value.s.data = from;
            value.s.size = size;
            return from + size;
        }
        default:
            return get_integer(column, from, value);
        }
    }

    static const char* get_decimal(const column_spec& column, const char* from, tg_value& value) {
        if (is_wide_decimal(column)) {
            int128 number = 0;
            from = pull(from, number);
            detail::set_wide(value, number);
            return from;
        }
        std::int64_t number = 0;
        from = pull(from, number);
        detail::set_wide(value, number);
        return from;
    }

    static const char* get_integer(const column_spec& column, const char* from, tg_value& value) {
        if (!detail::is_narrow(column.format)) {
            return pull(from, value.i);
        }
        std::int32_t number = 0;
        from = pull(from, number);
        value.i = number;
        return from;
    }

    std::span<const column_spec> m_columns;
    std::vector<std::uint32_t> m_order; // of the columns in the bytes
    std::size_t m_keys;
};

} // namespace tg
