// The columns of a relation, read from plain files that hold Arrow's buffers: `<relation>.<column>.values`, and for
// strings `<relation>.<column>.offsets` (32 bit) besides.
#pragma once

#include <toastergen/arrow.hpp>
#include <toastergen/relation.hpp>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline std::vector<char> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void keep(ArrowSchema*) {}
inline void keep(ArrowArray*) {}

// One column, both ways: as an Arrow array for batches, and as values in the type that triggers take.
struct column {
    column(const std::string& path, const tg::column_spec& spec) : values(read_file(path + ".values")) {
        is_text = tg::detail::is_string_format(spec.format);
        schema.format = is_text ? "u" : spec.format;
        schema.name = spec.name;
        schema.release = keep;
        array.n_buffers = is_text ? 3 : 2;
        array.release = keep;
        if (is_text) {
            offsets = read_file(path + ".offsets");
            buffers[1] = offsets.data();
            buffers[2] = values.data();
            array.length = static_cast<std::int64_t>(offsets.size() / sizeof(std::int32_t)) - 1;
            spell_views();
        } else {
            buffers[1] = values.data();
            array.length = static_cast<std::int64_t>(values.size() / width(spec.format));
            narrow_decimals(spec.format);
        }
    }

    static std::size_t width(std::string_view format) {
        return format.starts_with("d:") ? 16 : format == "l" || format == "g" ? 8 : 4;
    }

    void spell_views() {
        const auto* starts = reinterpret_cast<const std::int32_t*>(offsets.data());
        for (std::int64_t row = 0; row < array.length; ++row) {
            views.emplace_back(values.data() + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row]));
        }
    }

    void narrow_decimals(std::string_view format) {
        if (format.starts_with("d:") && tg::detail::decimal_precision(format.data()) <= 18) {
            const auto* wide = reinterpret_cast<const tg::int128*>(values.data());
            words.assign(wide, wide + array.length);
        }
    }

    template <class T> const T* as() const {
        if constexpr (std::is_same_v<T, std::string_view>) {
            return views.data();
        } else if (std::is_same_v<T, std::int64_t> && !words.empty()) {
            return reinterpret_cast<const T*>(words.data());
        } else {
            return reinterpret_cast<const T*>(values.data());
        }
    }

    std::vector<char> values;
    std::vector<char> offsets;
    std::vector<std::string_view> views;
    std::vector<std::int64_t> words;
    const void* buffers[3] = {};
    ArrowSchema schema{};
    ArrowArray array{};
    bool is_text = false;
};

// Not movable once linked: the Arrow structs point into it.
struct table {
    table(const std::string& folder, const tg::relation_spec& spec) {
        columns.reserve(spec.columns.size());
        for (const tg::column_spec& item : spec.columns) {
            columns.emplace_back(folder + "/" + std::string(spec.name) + "." + item.name, item);
        }
        for (column& item : columns) {
            item.array.buffers = item.buffers;
            schema_children.push_back(&item.schema);
            array_children.push_back(&item.array);
        }
        rows = static_cast<std::size_t>(columns.front().array.length);
        schema.format = "+s";
        schema.n_children = array.n_children = static_cast<std::int64_t>(columns.size());
        schema.children = schema_children.data();
        array.children = array_children.data();
        array.n_buffers = 1;
        array.buffers = no_validity;
        schema.release = keep;
        array.release = keep;
    }
    table(const table&) = delete;

    std::vector<column> columns;
    std::vector<ArrowSchema*> schema_children;
    std::vector<ArrowArray*> array_children;
    const void* no_validity[1] = {};
    ArrowSchema schema{};
    ArrowArray array{};
    std::size_t rows = 0;
};

} // namespace bench
