// Rows of a view, built column by column and handed over as an Arrow struct array that owns its memory.
#pragma once

#include "arrow_batch.hpp"
#include "nullable.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace tg {

namespace detail {

// One exported array and its schema, with everything they point to. Parents own children through the C structs, as the
// interface demands: a consumer may take a child out and release it later than its parent.
struct exported_column {
    std::vector<char> values;
    std::vector<char> bytes; // of strings
    std::vector<unsigned char> validity;
    const void* buffers[3] = {};
};

struct exported_array {
    exported_column column;
    std::vector<std::unique_ptr<ArrowArray>> children;
    std::vector<ArrowArray*> child_pointers;
};

struct exported_schema {
    std::string name;
    std::string format;
    std::vector<std::unique_ptr<ArrowSchema>> children;
    std::vector<ArrowSchema*> child_pointers;
};

template <class Struct, class Owned> void release_exported(Struct* exported) {
    for (std::int64_t i = 0; i < exported->n_children; ++i) {
        Struct* child = exported->children[i];
        if (child->release != nullptr) { // else its consumer has moved it away
            child->release(child);
        }
    }
    delete static_cast<Owned*>(exported->private_data);
    exported->release = nullptr;
}

inline void hand_over(ArrowSchema& out, std::unique_ptr<exported_schema> owned, bool nullable) {
    for (const auto& child : owned->children) {
        owned->child_pointers.push_back(child.get());
    }
    out = {};
    out.format = owned->format.c_str();
    out.name = owned->name.c_str();
    out.flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    out.n_children = static_cast<std::int64_t>(owned->child_pointers.size());
    out.children = owned->child_pointers.data();
    out.release = release_exported<ArrowSchema, exported_schema>;
    out.private_data = owned.release();
}

inline void hand_over(ArrowArray& out, std::unique_ptr<exported_array> owned, std::int64_t length, int buffers) {
    for (const auto& child : owned->children) {
        owned->child_pointers.push_back(child.get());
    }
    out = {};
    out.length = length;
    out.n_buffers = buffers;
    out.buffers = owned->column.buffers;
    out.n_children = static_cast<std::int64_t>(owned->child_pointers.size());
    out.children = owned->child_pointers.data();
    out.release = release_exported<ArrowArray, exported_array>;
    out.private_data = owned.release();
}

// Releases what was handed over if building the rest fails.
template <class Struct> struct release_on_failure {
    Struct* exported;
    ~release_on_failure() {
        if (exported != nullptr && exported->release != nullptr) {
            exported->release(exported);
        }
    }
};

} // namespace detail

class table_builder {
public:
    explicit table_builder(std::span<const column_spec> columns) {
        m_columns.reserve(columns.size());
        for (const column_spec& spec : columns) {
            m_columns.emplace_back(spec);
        }
    }

    void reserve(std::size_t rows) {
        for (column_builder& column : m_columns) {
            column.reserve(rows);
        }
    }

    void append(std::size_t c, std::int32_t value) { m_columns[c].append_number('i', value); }
    void append(std::size_t c, double value) { m_columns[c].append_number('g', value); }
    void append(std::size_t c, std::string_view value) { m_columns[c].append_text(value); }
    void append(std::size_t c, int128 value) { m_columns[c].append_decimal(value); }

    // A long, or a decimal that the engine computes in 64 bits.
    void append(std::size_t c, std::int64_t value) {
        column_builder& column = m_columns[c];
        column.kind() == 'd' ? column.append_decimal(value) : column.append_number('l', value);
    }

    // A template, or string literals would silently become truth values.
    template <std::same_as<bool> Bool> void append(std::size_t c, Bool value) { m_columns[c].append_bool(value); }

    template <class T> void append(std::size_t c, const nullable<T>& value) {
        value.present ? append(c, value.value) : append_null(c);
    }

    void append_null(std::size_t c) { m_columns[c].append_null(); }

    // Hands the rows over; the builder is empty and reusable afterwards. On an exception both results are untouched.
    void finish(ArrowSchema* schema, ArrowArray* array) {
        const std::size_t rows = m_columns.empty() ? 0 : m_columns[0].size();
        for (const column_builder& column : m_columns) {
            if (column.size() != rows) {
                throw std::logic_error("the columns of a table differ in length");
            }
        }
        ArrowSchema schema_result = make_schema();
        detail::release_on_failure<ArrowSchema> guard{&schema_result};
        *array = make_array(static_cast<std::int64_t>(rows));
        *schema = schema_result;
        guard.exported = nullptr;
    }

private:
    // One column while it grows.
    class column_builder {
    public:
        explicit column_builder(const column_spec& spec)
            : m_name(spec.name), m_format(spec.format), m_nullable(spec.nullable),
              m_kind(m_format == "tdD"    ? 'i'
                     : m_format == "tsu:" ? 'l'
                                          : m_format[0]) {
            static constexpr std::string_view known = "ilgdUb";
            if (known.find(m_kind) == std::string_view::npos) {
                throw std::logic_error("no table column can have the Arrow format " + m_format);
            }
            if (m_kind == 'd') {
                m_limit = power_of_ten(detail::decimal_precision(spec.format));
            }
        }

        char kind() const { return m_kind; }
        std::size_t size() const { return m_size; }
        const std::string& name() const { return m_name; }
        const std::string& format() const { return m_format; }
        bool nullable() const { return m_nullable; }
        int buffer_count() const { return m_kind == 'U' ? 3 : 2; }
        std::int64_t null_count() const { return m_nulls; }

        void reserve(std::size_t rows) { m_data.values.reserve(m_data.values.size() + rows * width()); }

        template <class T> void append_number(char kind, T value) {
            require(kind);
            push(m_data.values, value);
            added(true);
        }

        void append_decimal(int128 value) {
            require('d');
            if (value >= m_limit || value <= -m_limit) {
                throw std::overflow_error("column \"" + m_name + "\": a value has more digits than decimal(" +
                                          m_format.substr(2) + ")");
            }
            push(m_data.values, value);
            added(true);
        }

        void append_text(std::string_view value) {
            require('U');
            m_data.bytes.insert(m_data.bytes.end(), value.begin(), value.end());
            push_text_end();
            added(true);
        }

        void append_bool(bool value) {
            require('b');
            push_bit(m_data.values, value);
            added(true);
        }

        void append_null() {
            if (!m_nullable) {
                throw std::logic_error("column \"" + m_name + "\" is not nullable");
            }
            if (m_nulls == 0) {
                m_data.validity.assign((m_size + 7) / 8, 0xff); // columns without NULL never pay for the bitmap
            }
            append_nothing();
            added(false);
            ++m_nulls;
        }

        // Moves the buffers out; the column is empty again.
        detail::exported_column take() {
            detail::exported_column result = std::exchange(m_data, {});
            // For columns without rows: consumers may refuse a null pointer, and string columns need one zero offset.
            alignas(16) static constexpr char nothing[16] = {};
            result.buffers[0] = m_nulls == 0 ? nullptr : result.validity.data();
            result.buffers[1] = result.values.empty() ? nothing : result.values.data();
            result.buffers[2] = result.bytes.empty() ? nothing : result.bytes.data();
            m_size = 0;
            m_nulls = 0;
            return result;
        }

    private:
        void require(char kind) const {
            if (m_kind != kind) {
                throw std::logic_error("column \"" + m_name + "\" of Arrow format " + m_format +
                                       " cannot take a value of kind " + kind);
            }
        }

        std::size_t width() const { return m_kind == 'i' ? 4 : m_kind == 'd' ? 16 : m_kind == 'b' ? 1 : 8; }

        template <class T> static void push(std::vector<char>& to, T value) {
            const std::size_t at = to.size();
            to.resize(at + sizeof value);
            std::memcpy(to.data() + at, &value, sizeof value);
        }

        template <class Byte> void push_bit(std::vector<Byte>& to, bool bit) const {
            if (m_size / 8 == to.size()) {
                to.push_back(0);
            }
            const auto mask = static_cast<unsigned char>(1u << m_size % 8);
            const auto old = static_cast<unsigned char>(to[m_size / 8]);
            to[m_size / 8] = static_cast<Byte>(bit ? old | mask : old & ~mask);
        }

        // String columns have one offset more than rows: the start of the first.
        void push_text_end() {
            if (m_data.values.empty()) {
                push(m_data.values, std::int64_t{0});
            }
            push(m_data.values, static_cast<std::int64_t>(m_data.bytes.size()));
        }

        void append_nothing() {
            if (m_kind == 'b') {
                push_bit(m_data.values, false);
            } else if (m_kind == 'U') {
                push_text_end();
            } else {
                m_data.values.resize(m_data.values.size() + width());
            }
        }

        void added(bool present) {
            if (!m_data.validity.empty() || !present) {
                push_bit(m_data.validity, present);
            }
            ++m_size;
        }

        std::string m_name;
        std::string m_format;
        bool m_nullable;
        char m_kind; // first letter of the format; dates are stored as 'i', timestamps as 'l'
        int128 m_limit = 0;
        detail::exported_column m_data;
        std::size_t m_size = 0;
        std::int64_t m_nulls = 0;
    };

    ArrowSchema make_schema() const {
        auto owned = std::make_unique<detail::exported_schema>();
        owned->format = "+s";
        owned->children.reserve(m_columns.size());
        owned->child_pointers.reserve(m_columns.size());
        ArrowSchema result{};
        try {
            for (const column_builder& column : m_columns) {
                auto child = std::make_unique<detail::exported_schema>();
                child->name = column.name();
                child->format = column.format();
                owned->children.push_back(std::make_unique<ArrowSchema>());
                detail::hand_over(*owned->children.back(), std::move(child), column.nullable());
            }
        } catch (...) {
            release_children(owned->children);
            throw;
        }
        detail::hand_over(result, std::move(owned), false);
        return result;
    }

    ArrowArray make_array(std::int64_t rows) {
        auto owned = std::make_unique<detail::exported_array>();
        // Everything that can fail first: taking buffers out of columns must not stop half way.
        owned->child_pointers.reserve(m_columns.size());
        std::vector<std::unique_ptr<detail::exported_array>> parts;
        for (std::size_t c = 0; c < m_columns.size(); ++c) {
            owned->children.push_back(std::make_unique<ArrowArray>());
            parts.push_back(std::make_unique<detail::exported_array>());
        }
        for (std::size_t c = 0; c < m_columns.size(); ++c) {
            const std::int64_t nulls = m_columns[c].null_count();
            const int buffers = m_columns[c].buffer_count();
            parts[c]->column = m_columns[c].take();
            detail::hand_over(*owned->children[c], std::move(parts[c]), rows, buffers);
            owned->children[c]->null_count = nulls;
        }
        ArrowArray result{};
        detail::hand_over(result, std::move(owned), rows, 1);
        return result;
    }

    static void release_children(const std::vector<std::unique_ptr<ArrowSchema>>& children) {
        for (const auto& child : children) {
            if (child->release != nullptr) {
                child->release(child.get());
            }
        }
    }

    std::vector<column_builder> m_columns;
};

} // namespace tg
