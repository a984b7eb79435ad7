// Random operations on a map with slices, judged by std::map; with the real hash and with one that nearly always
// collides.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/keyed_map.hpp>

#include <map>
#include <tuple>

struct row {
    std::int64_t a;
    tg::text b;
    double c;
    tg::slice_link links[2];
    std::int64_t count;

    bool vacant() const { return count == 0; }
};

struct colliding_hash {
    template <class... Values> std::uint32_t operator()(Values... values) const {
        return 0xffffffffu - tg::short_hash(tg::hash_of(values...)) % 3;
    }
};

template <class Hash>
using fuzzed = tg::keyed_map<row, tg::fields<&row::a, &row::b, &row::c>,
                             tg::slices<tg::fields<&row::a>, tg::fields<&row::b, &row::c>>, Hash>;

using key = std::tuple<std::int64_t, std::string, double>;
using model = std::map<key, std::int64_t>;

template <class Map> static key key_of(const Map& map, const row& record) {
    return {record.a, std::string(map.view(record.b)), record.c};
}

template <class Map, class Range, class Belongs>
static void compare_range(const Map& map, const model& expected, Range&& range, Belongs&& belongs) {
    model seen;
    for (const row& record : range) {
        CHECK(seen.emplace(key_of(map, record), record.count).second);
    }
    model wanted;
    for (const auto& entry : expected) {
        if (belongs(entry.first)) {
            wanted.insert(entry);
        }
    }
    CHECK(seen == wanted);
}

template <class Map> static void compare_all(const Map& map, const model& expected, const key& probe) {
    const auto& [a, b, c] = probe;
    CHECK(map.size() == expected.size());
    compare_range(map, expected, map.all(), [](const key&) { return true; });
    compare_range(map, expected, map.template slice<0>(a), [&](const key& k) { return std::get<0>(k) == a; });
    compare_range(map, expected, map.template slice<1>(b, c),
                  [&](const key& k) { return std::get<1>(k) == b && std::get<2>(k) == c; });
}

template <class Hash> static void fuzz(std::uint64_t seed, int steps) {
    random_source random(seed);
    fuzzed<Hash> map;
    model expected;
    bool deferring = false;
    for (int step = 0; step < steps; ++step) {
        const key k{static_cast<std::int64_t>(random.below(6)), random.text(), static_cast<double>(random.below(2))};
        const auto& [a, b, c] = k;
        const auto weight = static_cast<std::int64_t>(random.below(3)) - 1;
        const auto change = [&](row& record) { record.count += weight; };
        deferring ? map.update_deferred(change, a, b, c) : map.update(change, a, b, c);
        if ((expected[k] += weight) == 0) {
            expected.erase(k);
        }
        const row* found = map.find(a, b, c);
        CHECK((found == nullptr ? 0 : found->count) == (expected.contains(k) ? expected[k] : 0));
        if (random.below(40) == 0) {
            map.sweep();
            deferring = random.below(2) == 0;
            compare_all(map, expected, k);
        }
        if (random.below(1500) == 0) {
            map.clear();
            expected.clear();
        }
    }
}

CASE(agrees_with_a_map) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        fuzz<tg::field_hash>(seed, 5000);
    }
}

CASE(agrees_with_a_map_when_hashes_collide) {
    for (std::uint64_t seed = 11; seed <= 13; ++seed) {
        fuzz<colliding_hash>(seed, 3000);
    }
}
