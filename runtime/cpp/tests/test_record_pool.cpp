#include "check.hpp"
#include "random.hpp"

#include <toastergen/record_pool.hpp>

#include <map>

struct record {
    std::int64_t value;
    std::int64_t other;
};

CASE(records_never_move_and_start_at_zero) {
    tg::record_pool<record> pool;
    std::vector<std::pair<std::uint32_t, record*>> known;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint32_t id = pool.create();
        CHECK(pool[id].value == 0 && pool[id].other == 0);
        pool[id].value = i;
        known.emplace_back(id, &pool[id]);
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
        CHECK(&pool[known[i].first] == known[i].second);
        CHECK(known[i].second->value == static_cast<std::int64_t>(i));
    }
}

CASE(freed_ids_are_used_again) {
    tg::record_pool<record> pool;
    const std::uint32_t first = pool.create();
    pool.create();
    pool[first].value = 99;
    pool.destroy(first);
    CHECK(!pool.is_live(first));
    CHECK(pool.create() == first);
    CHECK(pool[first].value == 0);
}

CASE(iteration_survives_destroying_the_current_record) {
    tg::record_pool<record> pool;
    for (int i = 0; i < 500; ++i) {
        pool[pool.create()].value = i;
    }
    std::int64_t visited = 0;
    for (auto at = pool.begin(); at != pool.end(); ++at) {
        CHECK(at->value == visited);
        ++visited;
        pool.destroy(at.id());
    }
    CHECK(visited == 500);
    CHECK(pool.size() == 0);
    CHECK(pool.begin() == pool.end());
}

CASE(records_of_one_byte_work) {
    struct tiny {
        bool flag;
    };
    tg::record_pool<tiny> pool;
    const std::uint32_t a = pool.create();
    const std::uint32_t b = pool.create();
    pool.destroy(a);
    pool.destroy(b);
    CHECK(pool.create() == b);
    CHECK(pool.create() == a);
}

CASE(small_pools_are_small_and_empty_pools_cost_nothing) {
    tg::record_pool<record> pool;
    CHECK(pool.bytes() == 0);
    pool.create();
    CHECK(pool.bytes() < 1024);
}

CASE(a_cleared_pool_starts_over) {
    tg::record_pool<record> pool;
    for (const int rows : {100, 1'000'000, 100}) {
        for (int i = 0; i < rows; ++i) {
            pool.create();
        }
        CHECK(pool.size() == static_cast<std::size_t>(rows));
        pool.clear();
        CHECK(pool.size() == 0 && pool.begin() == pool.end());
    }
    CHECK(pool.bytes() < (8u << 20));
}

CASE(random_use_agrees_with_a_map) {
    random_source random(3);
    tg::record_pool<record> pool;
    std::map<std::uint32_t, std::int64_t> model;
    for (int step = 0; step < 20'000; ++step) {
        const auto id = static_cast<std::uint32_t>(random.below(400));
        CHECK(pool.is_live(id) == model.contains(id));
        if (model.erase(id) == 1) {
            pool.destroy(id);
        } else {
            const std::uint32_t made = pool.create();
            CHECK(!model.contains(made));
            pool[made].value = model[made] = step;
        }
    }
    auto expected = model.begin();
    for (const record& live : pool) {
        CHECK(live.value == expected->second);
        ++expected;
    }
    CHECK(expected == model.end());
}
