#include "engine.hpp"

namespace sample_program {

namespace {

constexpr tg::column_spec r_columns[] = {{"k", "i"}, {"v", "d:15,2"}, {"d", "tdD"}, {"s", "U"},
                                         {"b", "b"}, {"x", "g"},      {"n", "l"}};
constexpr tg::relation_spec all_relations[] = {{"r", r_columns}};
constexpr tg::column_spec by_k_columns[] = {{"k", "i"}, {"count", "l"}, {"sum_v", "d:38,2"}, {"sum_n", "l"}};
constexpr tg::column_spec total_columns[] = {
    {"count", "l"}, {"sum_x", "g", true}, {"first_s", "U", true}, {"last_d", "tdD", true}, {"trues", "l"}};

template <class Map, class Key> void count(Map& map, const Key& key, std::int64_t weight) {
    if ((map[key] += weight) == 0) {
        map.erase(key);
    }
}

} // namespace

const char* const engine::schema_json = R"json(@SCHEMA@)json";

std::span<const tg::relation_spec> engine::relations() {
    return all_relations;
}

tg::table_builder engine::view_builder(std::uint32_t view) {
    return view == 0 ? tg::table_builder(by_k_columns) : tg::table_builder(total_columns);
}

void engine::change(const event& row, std::int64_t weight) {
    m_by_k.update(
        [&](group& g) {
            tg::accumulate(m_flag, g.count, weight);
            tg::accumulate(m_flag, g.sum_v, tg::mul(m_flag, row.v, static_cast<tg::int128>(weight)));
            tg::accumulate(m_flag, g.sum_n, tg::mul(m_flag, row.n, weight));
        },
        row.k);
    tg::accumulate(m_flag, m_count, weight);
    tg::accumulate(m_flag, m_trues, row.b ? weight : 0);
    tg::accumulate(m_flag, m_sum_x, row.x * static_cast<double>(weight));
    count(m_strings, std::string(row.s), weight);
    count(m_dates, row.d, weight);
}

void engine::apply_row(std::uint32_t, const tg_value* v, std::int64_t weight) {
    const auto wide = static_cast<tg::int128>(v[1].decimal.high) * (static_cast<tg::int128>(1) << 64) +
                      static_cast<tg::int128>(v[1].decimal.low);
    change({static_cast<std::int32_t>(v[0].i), wide, static_cast<std::int32_t>(v[2].i),
            std::string_view(v[3].s.data, v[3].s.size), v[4].i != 0, v[5].d, v[6].i},
           weight);
}

void engine::apply_batch(std::uint32_t, const tg::batch& rows) {
    const auto k = rows.ints(0);
    const auto v = rows.decimals128(1);
    const auto d = rows.dates(2);
    const auto s = rows.texts(3);
    const auto b = rows.bools(4);
    const auto x = rows.doubles(5);
    const auto n = rows.longs(6);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        change({k[i], v[i], d[i], s[i], b[i], x[i], n[i]}, rows.weight(i));
    }
}

void engine::export_view(std::uint32_t view, tg::table_builder& out) const {
    if (view == 0) {
        for (const group& g : m_by_k.all()) {
            if (g.count != 0) {
                out.append(0, g.k);
                out.append(1, g.count);
                out.append(2, g.sum_v);
                out.append(3, g.sum_n);
            }
        }
        return;
    }
    out.append(0, m_count);
    if (m_count == 0) {
        out.append_null(1);
    } else {
        out.append(1, m_sum_x.value());
    }
    if (m_strings.empty()) {
        out.append_null(2);
    } else {
        out.append(2, std::string_view(m_strings.begin()->first));
    }
    if (m_dates.empty()) {
        out.append_null(3);
    } else {
        out.append(3, m_dates.rbegin()->first);
    }
    out.append(4, m_trues);
}

void engine::stats(std::string& json) const {
    const tg::map_stats of_k = m_by_k.stats();
    json += "{\"maps\":[{\"name\":\"by_k\",\"rows\":" + std::to_string(of_k.rows) +
            ",\"bytes\":" + std::to_string(of_k.bytes) + ",\"max_probe\":" + std::to_string(of_k.max_probe) + "}]}";
}

} // namespace sample_program
