// Rows of a batch one by one, in the form in which single rows cross the border.
#pragma once

#include "relation.hpp"

#include <string_view>
#include <vector>

namespace tg {

namespace detail {

// How wide an integral column is, on the wire and in a ledger.
inline bool is_narrow(std::string_view format) {
    return format == "i" || format == "tdD";
}

inline std::int32_t wanted_kind(const char* format) {
    switch (format[0]) {
    case 'i':
    case 'l':
        return TG_INT;
    case 'g':
        return TG_DOUBLE;
    case 'd':
        return TG_DECIMAL;
    case 't':
        return format[1] == 'd' ? TG_DATE : TG_TIMESTAMP;
    case 'b':
        return TG_BOOL;
    default:
        return TG_STRING;
    }
}

inline int128 wide(const tg_value& value) {
    return static_cast<int128>(value.decimal.high) * (static_cast<int128>(1) << 64) +
           static_cast<int128>(value.decimal.low);
}

inline void set_wide(tg_value& value, int128 number) {
    value.decimal.low = static_cast<std::uint64_t>(number);
    value.decimal.high = static_cast<std::int64_t>(number >> 64);
}

} // namespace detail

// Reads a checked batch. Strings are borrowed from it.
class row_reader {
public:
    row_reader(const batch& rows, std::span<const column_spec> columns) {
        m_columns.reserve(columns.size());
        for (std::size_t c = 0; c < columns.size(); ++c) {
            m_columns.push_back(open(rows, c, columns[c].format));
        }
    }

    void read(std::size_t row, tg_value* out) const {
        for (const cells& column : m_columns) {
            column.read(row, *out++);
        }
    }

private:
    struct cells {
        std::int32_t kind = TG_NULL;
        bool is_narrow = false;
        nulls absent;
        column<std::int32_t> narrow;
        column<std::int64_t> longs;
        column<double> doubles;
        decimal_column<int128> decimals;
        bool_column bools;
        text_column texts;

        void read(std::size_t row, tg_value& out) const {
            if (absent[row]) {
                out.kind = TG_NULL;
                return;
            }
            out.kind = kind;
            switch (kind) {
            case TG_DOUBLE:
                out.d = doubles[row];
                return;
            case TG_DECIMAL:
                return detail::set_wide(out, decimals[row]);
            case TG_BOOL:
                out.i = bools[row] ? 1 : 0;
                return;
            case TG_STRING: {
                const std::string_view text = texts[row];
                out.s.data = text.data();
                out.s.size = text.size();
                return;
            }
            default:
                out.i = is_narrow ? narrow[row] : longs[row];
            }
        }
    };

    static cells open(const batch& rows, std::size_t c, const char* format) {
        cells result;
        result.kind = detail::wanted_kind(format);
        result.is_narrow = detail::is_narrow(format);
        result.absent = rows.nulls_of(c);
        switch (result.kind) {
        case TG_DOUBLE:
            result.doubles = rows.doubles(c);
            break;
        case TG_DECIMAL:
            result.decimals = rows.decimals128(c);
            break;
        case TG_BOOL:
            result.bools = rows.bools(c);
            break;
        case TG_STRING:
            result.texts = rows.texts(c);
            break;
        default:
            result.is_narrow ? void(result.narrow = rows.ints(c)) : void(result.longs = rows.longs(c));
        }
        return result;
    }

    std::vector<cells> m_columns;
};

} // namespace tg
