// What the Python test calls: a table with every format out, and a batch with every format in, rendered as text.
#include <toastergen/arrow.hpp>

#include <algorithm>

namespace {

constexpr tg::column_spec table_columns[] = {
    {"i", "i", true},     {"l", "l", true}, {"g", "g", true}, {"small", "d:9,2", true}, {"wide", "d:38,4", true},
    {"day", "tdD", true}, {"s", "U", true}, {"b", "b", true}, {"whole", "l"},
};

constexpr tg::column_spec batch_columns[] = {
    {"i", "i"}, {"l", "l"}, {"g", "g"}, {"small", "d:9,2"}, {"wide", "d:38,4"}, {"day", "tdD"}, {"s", "U"}, {"b", "b"},
};

void append_row(tg::table_builder& table, std::int64_t n) {
    table.append(0, static_cast<std::int32_t>(n));
    table.append(1, n << 40);
    table.append(2, static_cast<double>(n) / 4);
    table.append(3, n);
    table.append(4, tg::int128{n} << 90);
    table.append(5, static_cast<std::int32_t>(n));
    table.append(6, std::string(static_cast<std::size_t>(n % 20), 'x') + "é");
    table.append(7, n % 2 == 1);
    table.append(8, n);
}

std::string render(const tg::batch& rows) {
    std::string out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out += std::to_string(rows.ints(0)[i]) + ' ' + std::to_string(rows.longs(1)[i]) + ' ';
        out += std::to_string(rows.doubles(2)[i]) + ' ' + std::to_string(rows.decimals64(3)[i]) + ' ';
        out += std::to_string(static_cast<std::int64_t>(rows.decimals128(4)[i] >> 64)) + ' ';
        out += std::to_string(rows.dates(5)[i]) + ' ' + std::string(rows.texts(6)[i]) + ' ';
        out += (rows.bools(7)[i] ? "true " : "false ") + std::to_string(rows.inverse().weight(i)) + '\n';
    }
    return out;
}

} // namespace

// Every third row (but for the last column) is NULL.
extern "C" void build_table(std::int64_t rows, ArrowSchema* schema, ArrowArray* array) {
    tg::table_builder table(table_columns);
    for (std::int64_t n = 0; n < rows; ++n) {
        if (n % 3 != 2) {
            append_row(table, n);
            continue;
        }
        for (std::size_t c = 0; c < 8; ++c) {
            table.append_null(c);
        }
        table.append(8, n);
    }
    table.finish(schema, array);
}

// The rows as text, or the error.
extern "C" void read_batch(const ArrowSchema* schema, const ArrowArray* array, const std::int64_t* weights, char* out,
                           std::uint64_t size) {
    std::string text;
    try {
        text = render(tg::batch(*schema, *array, weights, batch_columns));
    } catch (const tg::data_error& error) {
        text = error.what();
    }
    const std::size_t used = std::min<std::size_t>(text.size(), size - 1);
    std::copy_n(text.data(), used, out);
    out[used] = '\0';
}
