// Columns under construction, and their hand-over as an Arrow struct array without a copy.
#pragma once

#include "toastergen/abi.h"
#include "toastergen/csv_value.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toastergen::csv {

struct column_spec {
    std::string name;
    column_type type;
    bool nullable = false;
};

// Bits in Arrow's order.
class bit_vector {
public:
    void push(bool value) {
        if (m_size % 8 == 0) {
            m_bytes.push_back(0);
        }
        m_bytes.back() = static_cast<std::uint8_t>(m_bytes.back() | ((value ? 1u : 0u) << (m_size % 8)));
        ++m_size;
    }
    void truncate(std::size_t size) {
        if (size >= m_size) {
            return;
        }
        m_size = size;
        m_bytes.resize((size + 7) / 8);
        if (size % 8 != 0) {
            m_bytes.back() = static_cast<std::uint8_t>(m_bytes.back() & ((1u << (size % 8)) - 1u));
        }
    }
    [[nodiscard]] const void* data() const { return m_bytes.data(); }

private:
    std::vector<std::uint8_t> m_bytes;
    std::size_t m_size = 0;
};

// One column's buffers. Only the vectors of its kind are used; the others stay empty and cost nothing.
class column {
public:
    explicit column(const column_spec& spec) : m_type(spec.type), m_nullable(spec.nullable) {
        if (m_type.what == kind::string) {
            m_narrow.push_back(0);
        }
    }

    // Append the value of `text`, or leave the column as it is and say why not.
    verdict append(std::string_view text) {
        const verdict found = append_value(text);
        if (m_nullable && found == verdict::ok) {
            m_present.push(true);
        }
        return found;
    }

    // NULL has a place among the values; what stands there means nothing.
    void append_null() {
        m_present.push(false);
        m_has_null = true;
        switch (m_type.what) {
        case kind::int32:
        case kind::date:
            return m_narrow.push_back(0);
        case kind::int64:
        case kind::timestamp:
            return m_wide.push_back(0);
        case kind::float64:
            return m_double.push_back(0);
        case kind::decimal:
            return m_decimal.push_back(0);
        case kind::string:
            return m_narrow.push_back(m_narrow.back());
        case kind::boolean:
            return m_bits.push(false);
        }
    }

    [[nodiscard]] bool nullable() const { return m_nullable; }
    // A set bit for every value that is there; none if all are.
    [[nodiscard]] const void* present() const { return m_has_null ? m_present.data() : nullptr; }

    // Drop every value after the first `rows`: how a row that fails in a later column is undone.
    void truncate(std::size_t rows) {
        m_present.truncate(rows);
        truncate_values(rows);
    }

    // Bytes of text held: string offsets are 32 bit, so the reader ends a batch before they run out.
    [[nodiscard]] std::size_t text_bytes() const { return m_bytes.size(); }

    [[nodiscard]] const void* values() const {
        switch (m_type.what) {
        case kind::int32:
        case kind::date:
        case kind::string:
            return m_narrow.data();
        case kind::int64:
        case kind::timestamp:
            return m_wide.data();
        case kind::float64:
            return m_double.data();
        case kind::decimal:
            return m_decimal.data();
        case kind::boolean:
            return m_bits.data();
        }
        return nullptr;
    }

    [[nodiscard]] const void* text() const { return m_bytes.data(); }
    [[nodiscard]] const column_type& type() const { return m_type; }

private:
    verdict append_value(std::string_view text) {
        switch (m_type.what) {
        case kind::int32:
            return push(m_narrow, text, parse_number<std::int32_t>);
        case kind::int64:
            return push(m_wide, text, parse_number<std::int64_t>);
        case kind::float64:
            return push(m_double, text, parse_double);
        case kind::date:
            return push(m_narrow, text, parse_date);
        case kind::timestamp:
            return push(m_wide, text, parse_timestamp);
        case kind::decimal:
            return push(m_decimal, text, [this](std::string_view word, int128& out) {
                return parse_decimal(word, m_type.precision, m_type.scale, out);
            });
        case kind::string:
            return push_string(text);
        case kind::boolean:
            return push_bool(text);
        }
        return verdict::malformed;
    }

    void truncate_values(std::size_t rows) {
        switch (m_type.what) {
        case kind::int32:
        case kind::date:
            return m_narrow.resize(std::min(rows, m_narrow.size()));
        case kind::int64:
        case kind::timestamp:
            return m_wide.resize(std::min(rows, m_wide.size()));
        case kind::float64:
            return m_double.resize(std::min(rows, m_double.size()));
        case kind::decimal:
            return m_decimal.resize(std::min(rows, m_decimal.size()));
        case kind::string:
            m_narrow.resize(std::min(rows + 1, m_narrow.size()));
            return m_bytes.resize(static_cast<std::size_t>(m_narrow.back()));
        case kind::boolean:
            return m_bits.truncate(rows);
        }
    }

    template <class number, class parser>
    static verdict push(std::vector<number>& values, std::string_view text, parser parse) {
        number value{};
        const verdict found = parse(text, value);
        if (found == verdict::ok) {
            values.push_back(value);
        }
        return found;
    }

    verdict push_string(std::string_view text) {
        if (!is_utf8(text)) {
            return verdict::malformed;
        }
        m_bytes.insert(m_bytes.end(), text.begin(), text.end());
        m_narrow.push_back(static_cast<std::int32_t>(m_bytes.size()));
        return verdict::ok;
    }

    verdict push_bool(std::string_view text) {
        bool value = false;
        const verdict found = parse_bool(text, value);
        if (found != verdict::ok) {
            return found;
        }
        m_bits.push(value);
        return verdict::ok;
    }

    column_type m_type;
    bool m_nullable;
    bool m_has_null = false;
    bit_vector m_present;               // of columns that can be NULL
    std::vector<std::int32_t> m_narrow; // int, date, and the offsets of strings
    std::vector<std::int64_t> m_wide;   // long, timestamp
    std::vector<double> m_double;
    std::vector<int128> m_decimal;
    std::vector<char> m_bytes;
    bit_vector m_bits;
};

struct batch {
    std::vector<column> columns;
    std::size_t rows = 0;
};

namespace detail {

inline std::string arrow_format(const column_type& type) {
    switch (type.what) {
    case kind::int32:
        return "i";
    case kind::int64:
        return "l";
    case kind::float64:
        return "g";
    case kind::decimal:
        return "d:" + std::to_string(type.precision) + "," + std::to_string(type.scale);
    case kind::date:
        return "tdD";
    case kind::timestamp:
        return "tsu:";
    case kind::string:
        return "u";
    case kind::boolean:
        return "b";
    }
    return "n";
}

// What a schema or array owns. A consumer may move a child away and release it after its parent,
// therefore every child owns its own buffers and is freed through its own release function.
template <class node> struct holder {
    std::string format;
    std::string name;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<node*> children;
    std::vector<column> data;
    std::array<const void*, 3> buffers{};
};

template <class node> void release(node* self) {
    auto* owned = static_cast<holder<node>*>(self->private_data);
    for (node* child : owned->children) {
        if (child->release != nullptr) {
            child->release(child);
        }
    }
    self->release = nullptr;
    delete owned;
}

template <class node> void adopt(node& self, std::unique_ptr<holder<node>> owned) {
    for (auto& child : owned->nodes) {
        owned->children.push_back(child.get());
    }
    self.n_children = static_cast<std::int64_t>(owned->children.size());
    self.children = owned->children.empty() ? nullptr : owned->children.data();
    self.release = release<node>;
    self.private_data = owned.release();
}

inline ArrowSchema make_schema(std::string format, std::string name, std::unique_ptr<holder<ArrowSchema>> owned) {
    ArrowSchema out{};
    owned->format = std::move(format);
    owned->name = std::move(name);
    out.format = owned->format.c_str();
    out.name = owned->name.c_str();
    adopt(out, std::move(owned));
    return out;
}

inline ArrowArray make_column(column&& values, std::size_t rows) {
    auto owned = std::make_unique<holder<ArrowArray>>();
    owned->data.push_back(std::move(values));
    const column& kept = owned->data.front();
    ArrowArray out{};
    out.length = static_cast<std::int64_t>(rows);
    out.n_buffers = kept.type().what == kind::string ? 3 : 2;
    // An empty vector has no address, and some consumers insist on one even for no rows.
    static constexpr std::int64_t nothing = 0;
    owned->buffers = {kept.present(), kept.values(), kept.text()};
    out.null_count = kept.present() == nullptr ? 0 : -1; // not counted
    for (std::size_t at = 1; at < owned->buffers.size(); ++at) {
        owned->buffers[at] = owned->buffers[at] == nullptr ? &nothing : owned->buffers[at];
    }
    out.buffers = owned->buffers.data();
    adopt(out, std::move(owned));
    return out;
}

} // namespace detail

// The struct type of a batch. The caller releases it.
inline ArrowSchema export_schema(const std::vector<column_spec>& specs) {
    auto owned = std::make_unique<detail::holder<ArrowSchema>>();
    for (const column_spec& spec : specs) {
        auto leaf = std::make_unique<detail::holder<ArrowSchema>>();
        owned->nodes.push_back(std::make_unique<ArrowSchema>(
            detail::make_schema(detail::arrow_format(spec.type), spec.name, std::move(leaf))));
        owned->nodes.back()->flags = spec.nullable ? ARROW_FLAG_NULLABLE : 0;
    }
    return detail::make_schema("+s", "", std::move(owned));
}

// The rows of a batch; the buffers move, nothing is copied. The caller releases it.
inline ArrowArray export_array(batch&& rows) {
    auto owned = std::make_unique<detail::holder<ArrowArray>>();
    for (column& values : rows.columns) {
        owned->nodes.push_back(std::make_unique<ArrowArray>(detail::make_column(std::move(values), rows.rows)));
    }
    ArrowArray out{};
    out.length = static_cast<std::int64_t>(rows.rows);
    out.n_buffers = 1; // the validity of the struct itself: none, all rows are there
    out.buffers = owned->buffers.data();
    detail::adopt(out, std::move(owned));
    return out;
}

} // namespace toastergen::csv
