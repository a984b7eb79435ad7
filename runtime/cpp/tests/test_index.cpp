#include "check.hpp"
#include "random.hpp"

#include <toastergen/slice_index.hpp>

#include <map>
#include <set>

using tg::nil;

static std::uint32_t good_hash(std::uint32_t key) {
    return key * 2654435761u;
}

// Colliding, and with homes at the end of the table so that probes wrap around.
static std::uint32_t bad_hash(std::uint32_t key) {
    return 0xfffffffeu + key % 3;
}

static void compare_with_map(std::uint32_t (*hash)(std::uint32_t), std::uint64_t seed, std::uint32_t keys) {
    random_source random(seed);
    tg::unique_index index;
    std::map<std::uint32_t, std::uint32_t> model; // key to id; the id of a key is key + 1000
    for (int step = 0; step < 6000; ++step) {
        const auto key = static_cast<std::uint32_t>(random.below(keys));
        const auto found = index.find(hash(key), [&](std::uint32_t id) { return id == key + 1000; });
        CHECK(found == (model.contains(key) ? key + 1000 : nil));
        if (found == nil) {
            index.reserve_one();
            index.insert(hash(key), key + 1000);
            model[key] = key + 1000;
        } else {
            index.erase(hash(key), found);
            model.erase(key);
        }
        CHECK(index.size() == model.size());
    }
    for (const auto& [key, id] : model) {
        CHECK(index.find(hash(key), [wanted = id](std::uint32_t candidate) { return candidate == wanted; }) == id);
    }
}

CASE(unique_index_agrees_with_a_map) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        compare_with_map(good_hash, seed, 700);
        compare_with_map(bad_hash, seed, 60);
    }
}

CASE(erasing_leaves_no_marks) {
    tg::unique_index index;
    for (std::uint32_t i = 0; i < 100'000; ++i) { // steady turnover of six entries
        index.reserve_one();
        index.insert(good_hash(i), i);
        if (i >= 5) {
            index.erase(good_hash(i - 5), i - 5);
        }
    }
    CHECK(index.size() == 5);
    CHECK(index.capacity() == 8);
}

CASE(probe_statistics_count_displacement) {
    tg::unique_index index;
    CHECK(index.probes().max == 0);
    for (std::uint32_t id = 0; id < 4; ++id) {
        index.reserve_one();
        index.insert(5, id);
    }
    CHECK(index.probes().max == 3);
    CHECK(index.probes().mean == 1.5);
}

CASE(clearing_keeps_fitting_tables_and_drops_oversized_ones) {
    tg::unique_index index;
    for (std::uint32_t id = 0; id < 1000; ++id) {
        index.reserve_one();
        index.insert(good_hash(id), id);
    }
    const std::size_t capacity = index.capacity();
    index.clear();
    CHECK(index.capacity() == capacity);
    CHECK(index.find(good_hash(1), [](std::uint32_t) { return true; }) == nil);
    index.reserve_one();
    index.insert(good_hash(1), 1);
    index.clear();
    CHECK(index.capacity() < capacity);
}

// Chains over plain arrays: record i has partial key i % 7.
struct chained {
    tg::slice_index index;
    std::vector<tg::slice_link> links = std::vector<tg::slice_link>(200);

    auto at() {
        return [this](std::uint32_t id) -> tg::slice_link& { return links[id]; };
    }
    static auto same(std::uint32_t key) {
        return [key](std::uint32_t id) { return id % 7 == key; };
    }
    std::set<std::uint32_t> members(std::uint32_t key, std::uint32_t (*hash)(std::uint32_t)) const {
        std::set<std::uint32_t> result;
        std::uint32_t before = nil;
        for (std::uint32_t id = index.find(hash(key), same(key)); id != nil; id = links[id].next) {
            CHECK(links[id].prev == before);
            CHECK(result.insert(id).second);
            before = id;
        }
        return result;
    }
};

static void compare_with_sets(std::uint32_t (*hash)(std::uint32_t), std::uint64_t seed) {
    random_source random(seed);
    chained chains;
    std::map<std::uint32_t, std::set<std::uint32_t>> model;
    int hashes_of_removed = 0;
    for (int step = 0; step < 3000; ++step) {
        const auto id = static_cast<std::uint32_t>(random.below(200));
        const std::uint32_t key = id % 7;
        if (model[key].insert(id).second) {
            chains.index.reserve_one();
            chains.index.insert(hash(key), id, chains.at(), chained::same(key));
        } else {
            model[key].erase(id);
            const bool heads = chains.links[id].prev == nil;
            const int before = hashes_of_removed;
            chains.index.remove(id, chains.at(), [&] {
                ++hashes_of_removed;
                return hash(key);
            });
            CHECK((hashes_of_removed != before) == heads);
        }
        CHECK(chains.members(key, hash) == model[key]);
    }
}

CASE(slice_index_agrees_with_sets) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        compare_with_sets(good_hash, seed);
        compare_with_sets(bad_hash, seed);
    }
}
