// Feeds one engine from memory and prints what it cost, in CPU time of the event loop alone.
//
// Compiled together with a generated engine, so that triggers can be inlined into the loop as in an application that
// embeds the class. The build names the namespace and the events:
//
//     g++ -DENGINE=q3_program '-DEVENTS=EVENT(0, customer) EVENT(1, orders) EVENT(2, lineitem)' drive.cpp
//
//     drive FOLDER single FROM            rows [FROM, end) timed, those before only applied
//     drive FOLDER single FROM TO         nothing happens after TO
//     drive FOLDER batch SIZE             through the C table, with all its checks
//
// Events go round-robin, row by row (batch by batch), over the relations until each has ended.
#include "engine.cpp" // NOLINT: one translation unit on purpose

#include "columns.hpp"

#include <toastergen/glue.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

namespace {

using engine = ENGINE::engine;
using tables = std::vector<std::unique_ptr<bench::table>>;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Calls one trigger with the values of a row. The pointers sit in the object itself, out of reach of the engine's
// writes, so that the compiler can keep those it needs in registers.
template <auto Trigger> class caller;
template <class... Params, void (engine::*Trigger)(Params...)> class caller<Trigger> {
public:
    explicit caller(const bench::table& from) : caller(from, std::index_sequence_for<Params...>{}) {}

    [[gnu::always_inline]] void operator()(engine& target, std::size_t row) const {
        std::apply([&](const auto*... column) { (target.*Trigger)(column[row]...); }, m_columns);
    }

    std::size_t rows() const { return m_rows; }

private:
    template <std::size_t... I>
    caller(const bench::table& from, std::index_sequence<I...>)
        : m_columns(from.columns[I].template as<Params>()...), m_rows(from.rows) {}

    std::tuple<const Params*...> m_columns;
    std::size_t m_rows;
};

// Not inlined, and alone in calling triggers: instruction counts are collected by this name.
[[gnu::noinline]] std::size_t run_events(engine& target, const tables& from, std::size_t begin, std::size_t end) {
    std::size_t events = 0;
#define EVENT(index, relation)                                                                                         \
    const caller<&engine::insert_##relation> relation(*from[index]);                                                   \
    events += std::min(end, relation.rows()) - std::min(begin, relation.rows());
    EVENTS
#undef EVENT
    for (std::size_t row = begin; row < end; ++row) {
#define EVENT(index, relation)                                                                                         \
    if (row < relation.rows()) {                                                                                       \
        relation(target, row);                                                                                         \
    }
        EVENTS
#undef EVENT
    }
    return events;
}

std::size_t longest(const tables& from) {
    std::size_t rows = 0;
    for (const auto& item : from) {
        rows = std::max(rows, item->rows);
    }
    return rows;
}

void print_value(const ArrowSchema& schema, const ArrowArray& array, std::size_t row) {
    const std::string_view format = schema.format;
    if (array.null_count != 0 && array.buffers[0] != nullptr && !tg::detail::load_bit(array.buffers[0], row)) {
        std::printf("null");
    } else if (format == "i" || format == "tdD") {
        std::printf("%d", tg::detail::load<std::int32_t>(array.buffers[1], row));
    } else if (format == "l") {
        std::printf("%lld", static_cast<long long>(tg::detail::load<std::int64_t>(array.buffers[1], row)));
    } else if (format == "g") {
        std::printf("%.17g", tg::detail::load<double>(array.buffers[1], row));
    } else if (format.starts_with("d:")) {
        // High and low word: the reader puts them together.
        const auto value = tg::detail::load<tg::int128>(array.buffers[1], row);
        std::printf("%lld:%llu", static_cast<long long>(value >> 64),
                    static_cast<unsigned long long>(static_cast<std::uint64_t>(value)));
    } else {
        const tg::text_column texts(array.buffers[1], array.buffers[2], 0, format == "U");
        std::printf("%.*s", static_cast<int>(texts[row].size()), texts[row].data());
    }
}

void print_view(const ArrowSchema& schema, const ArrowArray& array) {
    for (std::int64_t row = 0; row < array.length; ++row) {
        for (std::int64_t c = 0; c < array.n_children; ++c) {
            std::printf(c == 0 ? "row " : "\t");
            print_value(*schema.children[c], *array.children[c], static_cast<std::size_t>(row));
        }
        std::printf("\n");
    }
}

void print_cost(double seconds, std::size_t events) {
    std::printf("seconds %.9f\nevents %zu\n", seconds, events);
}

void run_single(const tables& from, std::size_t begin, std::size_t end) {
    auto target = std::make_unique<engine>();
    run_events(*target, from, 0, begin);
    const double start = cpu_seconds();
    const std::size_t events = run_events(*target, from, begin, end);
    print_cost(cpu_seconds() - start, events);
    std::string stats;
    target->stats(stats);
    std::printf("stats %s\n", stats.c_str());
    ArrowSchema schema{};
    ArrowArray array{};
    tg::table_builder out = engine::view_builder(0);
    target->export_view(0, out);
    out.finish(&schema, &array);
    print_view(schema, array);
    schema.release(&schema);
    array.release(&array);
}

void run_batches(const tables& from, std::size_t size) {
    const tg_engine_api& api = *tg::make_api<engine>();
    tg_engine* target = api.create();
    const std::size_t rows = longest(from);
    std::size_t events = 0;
    const double start = cpu_seconds();
    for (std::size_t row = 0; row < rows; row += size) {
        for (std::size_t relation = 0; relation < from.size(); ++relation) {
            bench::table& item = *from[relation];
            if (row >= item.rows) {
                continue;
            }
            item.array.offset = static_cast<std::int64_t>(row);
            item.array.length = static_cast<std::int64_t>(std::min(size, item.rows - row));
            events += static_cast<std::size_t>(item.array.length);
            if (api.apply_batch(target, static_cast<std::uint32_t>(relation), &item.schema, &item.array, nullptr) !=
                0) {
                throw std::runtime_error(api.last_error(target));
            }
        }
    }
    print_cost(cpu_seconds() - start, events);
    std::printf("stats %s\n", api.stats(target));
    ArrowSchema schema{};
    ArrowArray array{};
    api.export_view(target, 0, &schema, &array);
    print_view(schema, array);
    schema.release(&schema);
    array.release(&array);
    api.destroy(target);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: drive FOLDER single FROM [TO] | drive FOLDER batch SIZE\n");
        return 2;
    }
    tables from;
    for (const tg::relation_spec& spec : engine::relations()) {
        from.push_back(std::make_unique<bench::table>(argv[1], spec));
    }
    const std::size_t number = std::stoull(argv[3]);
    if (std::string_view(argv[2]) == "batch") {
        run_batches(from, number);
    } else {
        run_single(from, number, argc > 4 ? std::stoull(argv[4]) : longest(from));
    }
}
