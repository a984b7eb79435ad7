// A hand-written engine in the shape of a generated one: sums per k, and one row over everything.
#pragma once

#include <toastergen/arrow.hpp>
#include <toastergen/keyed_map.hpp>
#include <toastergen/relation.hpp>
#include <toastergen/value.hpp>

#include <map>
#include <string>

namespace sample_program {

class engine {
public:
    static constexpr const char* name = "sample";
    static const char* const schema_json;

    static std::span<const tg::relation_spec> relations();
    static std::size_t view_count() { return 2; }
    static tg::table_builder view_builder(std::uint32_t view);

    bool overflowed() const { return m_flag.set; }
    bool unreadable() const { return m_flag.unreadable; }
    void clear_overflow() { m_flag = {}; }

    void apply_row(std::uint32_t relation, const tg_value* values, std::int64_t weight);
    void apply_batch(std::uint32_t relation, const tg::batch& rows);
    void export_view(std::uint32_t view, tg::table_builder& out) const;
    void stats(std::string& json) const;

private:
    struct group {
        std::int32_t k;
        std::int64_t count;
        tg::int128 sum_v;
        std::int64_t sum_n;
        bool vacant() const { return count == 0 && sum_v == 0 && sum_n == 0; }
    };

    struct event {
        std::int32_t k;
        tg::int128 v;
        std::int32_t d;
        std::string_view s;
        bool b;
        double x;
        std::int64_t n;
    };

    void change(const event& row, std::int64_t weight);

    tg::overflow_flag m_flag;
    tg::keyed_map<group, tg::fields<&group::k>> m_by_k;
    std::map<std::string, std::int64_t> m_strings;
    std::map<std::int32_t, std::int64_t> m_dates;
    std::int64_t m_count = 0;
    std::int64_t m_trues = 0;
    tg::compensated m_sum_x;
};

} // namespace sample_program
