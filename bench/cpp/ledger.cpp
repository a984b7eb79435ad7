// What a ledger costs: the same rows through the C table of an engine, inserted, replaced and deleted again.
//
//     ledger LIBRARY SYMBOL ROWS BATCH      prints nanoseconds of CPU time per row and the bytes of the ledger
#include <toastergen/abi.h>
#include <toastergen/arrow_table.hpp>

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr std::array<tg::column_spec, 5> columns{
    {{"id", "i"}, {"grp", "i"}, {"amount", "l"}, {"name", "U"}, {"price", "d:12,2"}}};

struct row {
    std::int32_t id;
    std::int64_t amount;
    std::string name;

    std::array<tg_value, 5> values() const {
        std::array<tg_value, 5> out{};
        out[0].kind = out[1].kind = out[2].kind = TG_INT;
        out[0].i = id;
        out[1].i = id % 100;
        out[2].i = amount;
        out[3].kind = TG_STRING;
        out[3].s.data = name.data();
        out[3].s.size = name.size();
        out[4].kind = TG_DECIMAL;
        out[4].decimal.low = static_cast<std::uint64_t>(amount);
        return out;
    }
};

double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

class bench {
public:
    bench(const tg_engine_api* api, std::size_t rows, std::size_t batch)
        : m_api(api), m_engine(api->create()), m_batch(batch) {
        for (std::size_t at = 0; at < rows; ++at) {
            // An odd factor visits every id once, in no order that a cache would like.
            const auto id = static_cast<std::int32_t>(at * 7'919'177 % rows);
            m_rows.push_back({id, id % 1'000, "customer " + std::to_string(id % 5'000)});
        }
    }
    ~bench() { m_api->destroy(m_engine); }

    void run() {
        report("insert", [&] { m_batch == 1 ? singles(1) : batches(1); });
        std::printf("\"stats\": %s, ", m_api->stats(m_engine));
        report("delete", [&] { m_batch == 1 ? singles(-1) : batches(-1); });
    }

private:
    template <class Work> void report(const char* what, Work&& work) {
        const double start = now();
        work();
        std::printf("\"%s\": %.1f, ", what, (now() - start) / static_cast<double>(m_rows.size()));
    }

    void must(int status) const {
        if (status != TG_OK) {
            std::fprintf(stderr, "%s\n", m_api->last_error(m_engine));
            std::exit(1);
        }
    }

    void singles(std::int64_t weight) {
        for (const row& each : m_rows) {
            const auto values = each.values();
            must(m_api->apply_row(m_engine, 0, values.data(), values.size(), weight));
        }
    }

    void batches(std::int64_t weight) {
        const std::vector<std::int64_t> weights(m_batch, weight);
        for (std::size_t start = 0; start < m_rows.size(); start += m_batch) {
            const std::size_t end = std::min(start + m_batch, m_rows.size());
            tg::table_builder out(columns);
            for (std::size_t at = start; at < end; ++at) {
                out.append(0, m_rows[at].id);
                out.append(1, m_rows[at].id % 100);
                out.append(2, m_rows[at].amount);
                out.append(3, std::string_view(m_rows[at].name));
                out.append(4, tg::int128{m_rows[at].amount});
            }
            ArrowSchema schema{};
            ArrowArray array{};
            out.finish(&schema, &array);
            must(m_api->apply_batch(m_engine, 0, &schema, &array, weights.data()));
            schema.release(&schema);
            array.release(&array);
        }
    }

    const tg_engine_api* m_api;
    tg_engine* m_engine;
    std::size_t m_batch;
    std::vector<row> m_rows;
};

} // namespace

int main(int count, char** words) {
    if (count != 5) {
        return 2;
    }
    void* library = dlopen(words[1], RTLD_NOW);
    void* symbol = library == nullptr ? nullptr : dlsym(library, words[2]);
    if (symbol == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const auto entry = reinterpret_cast<const tg_engine_api* (*)()>(symbol);
    std::printf("{");
    bench(entry(), std::strtoull(words[3], nullptr, 10), std::strtoull(words[4], nullptr, 10)).run();
    std::printf("\"rows\": %s}\n", words[3]);
    return 0;
}
