// One checked row in the dress of a batch, for weights that single-row triggers do not know.
#pragma once

#include "row_check.hpp"

#include <cstring>
#include <vector>

namespace tg {

// Borrows the strings of the row; holds everything else. Not movable: the Arrow structs point into it.
class row_batch {
public:
    row_batch(const relation_spec& relation, const tg_value* values, std::int64_t weight)
        : m_weight(weight), m_cells(relation.columns.size()) {
        m_schema_children.reserve(m_cells.size());
        m_array_children.reserve(m_cells.size());
        for (std::size_t c = 0; c < m_cells.size(); ++c) {
            fill(m_cells[c], relation.columns[c], values[c]);
            m_schema_children.push_back(&m_cells[c].schema);
            m_array_children.push_back(&m_cells[c].array);
        }
        m_schema.format = "+s";
        m_schema.n_children = m_array.n_children = static_cast<std::int64_t>(m_cells.size());
        m_schema.children = m_schema_children.data();
        m_array.children = m_array_children.data();
        m_array.length = 1;
        m_array.n_buffers = 1;
        m_array.buffers = m_no_validity;
    }

    row_batch(const row_batch&) = delete;
    row_batch& operator=(const row_batch&) = delete;

    batch rows(std::span<const column_spec> columns) const { return {m_schema, m_array, &m_weight, columns}; }

private:
    struct cell {
        ArrowSchema schema{};
        ArrowArray array{};
        const void* buffers[3] = {};
        alignas(16) unsigned char value[16] = {};
    };

    template <class T> static void put(cell& to, T value) { std::memcpy(to.value, &value, sizeof value); }

    static void fill(cell& to, const column_spec& column, const tg_value& value) {
        to.schema.format = column.format;
        to.schema.name = column.name;
        to.array.length = 1;
        to.array.n_buffers = 2;
        to.array.buffers = to.buffers;
        to.buffers[1] = to.value;
        switch (value.kind) {
        case TG_NULL:
            return fill_null(to);
        case TG_DOUBLE:
            return put(to, value.d);
        case TG_DECIMAL:
            return put(to, detail::wide(value));
        case TG_STRING:
            to.schema.format = "U";
            to.array.n_buffers = 3;
            to.buffers[2] = value.s.data == nullptr ? "" : value.s.data;
            std::memcpy(to.value + 8, &value.s.size, 8); // offsets 0 and size
            return;
        default:
            return column.format[0] == 'l' || value.kind == TG_TIMESTAMP ? put(to, value.i)
                                                                         : put(to, static_cast<std::int32_t>(value.i));
        }
    }

    // The zeros of a fresh cell are a value of every format, and offsets of an empty string.
    static void fill_null(cell& to) {
        static constexpr unsigned char all_absent = 0;
        to.array.null_count = 1;
        to.buffers[0] = &all_absent;
        if (detail::is_string_format(to.schema.format)) {
            to.schema.format = "U";
            to.array.n_buffers = 3;
            to.buffers[2] = "";
        }
    }

    std::int64_t m_weight;
    std::vector<cell> m_cells;
    std::vector<ArrowSchema*> m_schema_children;
    std::vector<ArrowArray*> m_array_children;
    const void* m_no_validity[1] = {};
    ArrowSchema m_schema{};
    ArrowArray m_array{};
};

} // namespace tg
