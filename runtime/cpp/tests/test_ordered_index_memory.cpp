// Running out of memory at every allocation in turn leaves an index as it was.
#include "ordered_model.hpp"

#include <cstdlib>

static long allocations_left = -1; // negative: no limit

void* operator new(std::size_t size) {
    if (allocations_left == 0) {
        throw std::bad_alloc();
    }
    allocations_left -= allocations_left > 0 ? 1 : 0;
    if (void* made = std::malloc(size)) {
        return made;
    }
    throw std::bad_alloc();
}
// Sanitizers bring an array form of their own, which would not come by here.
void* operator new[](std::size_t size) {
    return operator new(size);
}
void operator delete(void* made) noexcept {
    std::free(made);
}
void operator delete[](void* made) noexcept {
    std::free(made);
}
void operator delete[](void* made, std::size_t) noexcept {
    std::free(made);
}
void operator delete(void* made, std::size_t) noexcept {
    std::free(made);
}

// Calls `insert` with 0, 1, 2 … allocations allowed until it succeeds; returns how often it failed.
template <class Insert, class Unchanged> static int persist(Insert&& insert, Unchanged&& unchanged) {
    for (int allowed = 0;; ++allowed) {
        allocations_left = allowed;
        try {
            insert();
            allocations_left = -1;
            return allowed;
        } catch (const std::bad_alloc&) {
            allocations_left = -1;
            unchanged();
        }
    }
}

// Nodes so large that nearly every node needs a chunk of its own, and few enough to be quick.
struct roomy_nodes : small_nodes {
    static constexpr std::uint32_t leaf = 40;
    static constexpr std::uint32_t inner = 4;
};

static std::string key_text(std::uint64_t number) {
    return std::to_string(number) + std::string(500, 'k'); // long, so that the arena takes part
}

CASE(a_failed_insert_changes_nothing) {
    using index_type = tg::ordered_index<tg::ordered_key<tg::text, tg::text>, three_slots, small_nodes>;
    index_type index;
    random_source random(3);
    tg::overflow_flag flag;
    int failures = 0;
    std::int64_t total = 0;
    for (int step = 0; step < 2500; ++step) {
        const std::string text = key_text(random.below(1u << 20));
        const std::size_t size = index.size();
        const tg::ordered_stats before = index.stats();
        bool added = false;
        failures += persist([&] { added = index.insert(flag, {text, text}, {step, step, 0.5}); },
                            [&] {
                                CHECK(index.size() == size && !index.find({text, text}));
                                CHECK(index.stats().leaves == before.leaves);
                                CHECK(index.stats().inner_nodes == before.inner_nodes);
                                CHECK(std::get<0>(index.total(flag)) == total);
                            });
        total += added ? step : 0;
    }
    CHECK(failures > 50);
    CHECK(std::get<0>(index.total(flag)) == total);
    std::size_t walked = 0;
    for (auto at = index.first(); at; at = at.next()) {
        ++walked;
    }
    CHECK(walked == index.size());
}

CASE(a_failed_insert_adds_no_group) {
    tg::grouped_ordered_index<tg::ordered_key<tg::text, std::int64_t>, tg::ordered_key<tg::text>,
                              tg::ordered_slots<std::int64_t>, roomy_nodes>
        index;
    random_source random(4);
    tg::overflow_flag flag;
    int failures = 0;
    for (int step = 0; step < 2000; ++step) {
        const std::string group = key_text(random.below(300));
        const std::string key = key_text(random.below(1000));
        const tg::ordered_stats before = index.stats();
        failures += persist([&] { index.insert(flag, {group, 1}, key, {1}); },
                            [&] {
                                CHECK(index.size() == before.entries && index.groups() == before.groups);
                                CHECK(index.stats().leaves == before.leaves);
                                CHECK(!index.group({group, 1}).find(key));
                            });
    }
    CHECK(failures > 50);
}

CASE(erasing_needs_no_memory) {
    tg::ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_slots<std::int64_t>> index;
    tg::overflow_flag flag;
    for (std::int64_t key = 0; key < 1000; ++key) {
        index.insert(flag, key, {1});
    }
    allocations_left = 0;
    for (std::int64_t key = 0; key < 1000; ++key) {
        CHECK(index.erase(flag, key * 7 % 1000));
    }
    allocations_left = -1;
    CHECK(index.empty() && index.stats().leaves == 0);
}
