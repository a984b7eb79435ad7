#include "check.hpp"

#include <toastergen/keyed_map.hpp>

#include <set>

struct sale {
    std::int64_t shop;
    tg::text product;
    tg::slice_link links[1];
    std::int64_t count;
    tg::compensated revenue;

    bool vacant() const { return count == 0; }
};
using sales = tg::keyed_map<sale, tg::fields<&sale::shop, &sale::product>, tg::slices<tg::fields<&sale::shop>>>;

static auto counting(std::int64_t weight) {
    return [weight](sale& record) { record.count += weight; };
}

CASE(update_creates_changes_and_erases) {
    sales map;
    CHECK(map.find(1, "tea") == nullptr);
    map.update(counting(2), 1, "tea");
    map.update(counting(1), 1, "a product with a long name");
    CHECK(map.size() == 2);
    CHECK(map.find(1, "tea")->count == 2);
    CHECK(map.view(map.find(1, "a product with a long name")->product) == "a product with a long name");
    map.update(counting(-2), 1, "tea");
    CHECK(map.find(1, "tea") == nullptr);
    CHECK(map.size() == 1);
}

CASE(an_update_that_changes_nothing_leaves_nothing) {
    sales map;
    map.update(counting(0), 5, "ghost");
    CHECK(map.empty());
}

CASE(a_count_of_zero_alone_decides_absence) {
    sales map;
    map.update([](sale& record) { record.count = 1; }, 1, "free");
    CHECK(map.find(1, "free") != nullptr); // revenue 0, yet present
}

CASE(slices_find_exactly_the_partial_key) {
    sales map;
    for (std::int64_t shop = 0; shop < 3; ++shop) {
        for (const char* product : {"tea", "coffee", "a rather long product name"}) {
            map.update(counting(shop + 1), shop, product);
        }
    }
    std::multiset<std::string> names;
    for (const sale& record : map.slice<0>(1)) {
        CHECK(record.shop == 1 && record.count == 2);
        names.emplace(map.view(record.product));
    }
    CHECK(names == std::multiset<std::string>{"a rather long product name", "coffee", "tea"});
    for (const sale& record : map.slice<0>(9)) {
        CHECK(record.shop != record.shop); // nothing to see
    }
}

CASE(deferred_vacancies_wait_for_the_sweep) {
    sales map;
    map.update(counting(1), 1, "stays");
    map.update_deferred(counting(1), 1, "goes");
    map.update_deferred(counting(-1), 1, "goes");
    map.update_deferred(counting(0), 1, "goes"); // noted twice
    map.update_deferred(counting(-1), 1, "stays");
    map.update_deferred(counting(4), 1, "stays"); // revived
    CHECK(map.size() == 2);
    map.sweep();
    CHECK(map.size() == 1);
    CHECK(map.find(1, "stays")->count == 4);
    map.sweep();
    CHECK(map.size() == 1);
}

CASE(a_sweep_spares_a_record_that_took_over_a_noted_id) {
    sales map;
    map.update_deferred(counting(0), 1, "first");
    map.update(counting(0), 1, "first"); // erased at once; its id is free
    map.update(counting(1), 2, "second");
    map.sweep();
    CHECK(map.find(2, "second") != nullptr);
}

CASE(the_current_record_may_be_erased_while_visiting_all) {
    sales map;
    for (std::int64_t i = 0; i < 300; ++i) {
        map.update(counting(1), i, "a product with a long name");
    }
    std::size_t visited = 0;
    for (const sale& record : map.all()) {
        ++visited;
        map.update(counting(-1), record.shop, map.view(record.product));
    }
    CHECK(visited == 300);
    CHECK(map.empty());
}

CASE(a_map_without_keys_holds_one_record) {
    struct total {
        tg::int128 sum;
        bool vacant() const { return sum == 0; }
    };
    tg::keyed_map<total, tg::fields<>> map;
    CHECK(map.find() == nullptr);
    map.update([](total& record) { record.sum += 5; });
    map.update([](total& record) { record.sum += 6; });
    CHECK(map.size() == 1 && map.find()->sum == 11);
}

CASE(keys_of_every_type) {
    struct mixed {
        tg::int128 wide;
        double ratio;
        std::int64_t big;
        std::int32_t day;
        bool flag;
        std::int64_t count;
        bool vacant() const { return count == 0; }
    };
    using by_all =
        tg::keyed_map<mixed, tg::fields<&mixed::wide, &mixed::ratio, &mixed::big, &mixed::day, &mixed::flag>>;
    by_all map;
    const auto insert = [](mixed& record) { ++record.count; };
    map.update(insert, tg::int128{1} << 100, -0.0, 3, -7, true);
    map.update(insert, tg::int128{1} << 100, 0.0, 3, -7, true);
    map.update(insert, tg::int128{1} << 101, 0.0, 3, -7, true);
    map.update(insert, tg::int128{1} << 100, 0.0, 3, -7, false);
    CHECK(map.size() == 3);
    CHECK(map.find(tg::int128{1} << 100, 0.0, 3, -7, true)->count == 2);
}

CASE(clearing_forgets_everything_and_allows_another_round) {
    sales map;
    for (int round = 0; round < 3; ++round) {
        for (std::int64_t i = 0; i < 1000; ++i) {
            map.update(counting(1), i % 10, "product with number " + std::to_string(i));
        }
        CHECK(map.size() == 1000);
        map.update_deferred(counting(0), 77, "noted");
        map.clear();
        CHECK(map.empty() && map.find(1, "product with number 1") == nullptr);
        for (const sale& record : map.slice<0>(1)) {
            CHECK(record.count < 0);
        }
    }
}

CASE(statistics) {
    sales map;
    CHECK(map.stats().rows == 0);
    for (std::int64_t i = 0; i < 1000; ++i) {
        map.update(counting(1), i, "x");
    }
    const tg::map_stats stats = map.stats();
    CHECK(stats.rows == 1000);
    CHECK(stats.bytes >= 1000 * sizeof(sale));
    CHECK(stats.capacity >= 1000);
    CHECK(stats.mean_probe < 4);
    CHECK(static_cast<double>(stats.max_probe) >= stats.mean_probe);
}
