// Nanoseconds of CPU time per operation of the ordered aggregate index, beside std::map where that can do the same.
//
//     g++ -std=c++20 -O3 -march=native -ffp-contract=off -I runtime/cpp/include bench/cpp/ordered_index.cpp -o
//     ordered_index
//     ./ordered_index 1000000            all default sizes
//     ./ordered_index 1000000 tune       other sizes of nodes, interleaved
//
// Every timed line ends with a checksum. Lines of one operation, with as many entries in all, must agree on it; groups
// do other work and agree among themselves only where their keys do.
#include <toastergen/grouped_ordered_index.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct random_numbers {
    std::uint64_t state = 88172645463325252u;
    std::uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
};

// Entries at even numbers, so that odd ones can come and go.
std::int64_t any_key(random_numbers& random, std::int64_t entries) {
    return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(entries)) * 2;
}

template <std::uint32_t Leaf, std::uint32_t Inner> struct sized : tg::ordered_tuning {
    static constexpr std::uint32_t leaf = Leaf;
    static constexpr std::uint32_t inner = Inner;
};

using two_slots = tg::ordered_slots<std::int64_t, tg::compensated>;
template <class Tuning> using index_of = tg::ordered_index<tg::ordered_key<std::int64_t>, two_slots, Tuning>;

template <class Operation> void report(const char* name, const char* operation, std::int64_t rounds, Operation&& run) {
    std::int64_t checksum = 0;
    const double start = cpu_seconds();
    for (std::int64_t i = 0; i < rounds; ++i) {
        checksum += run();
    }
    const double seconds = cpu_seconds() - start;
    std::printf("%-14s %-18s %8.1f ns   checksum %" PRId64 "\n", name, operation,
                seconds * 1e9 / static_cast<double>(rounds), checksum);
}

// All even keys, in an order that is the same for everybody.
std::vector<std::int64_t> shuffled(std::int64_t entries) {
    std::vector<std::int64_t> keys(static_cast<std::size_t>(entries));
    for (std::int64_t i = 0; i < entries; ++i) {
        keys[static_cast<std::size_t>(i)] = i * 2;
    }
    random_numbers random;
    for (std::size_t i = keys.size(); i > 1; --i) {
        std::swap(keys[i - 1], keys[random.next() % i]);
    }
    return keys;
}

template <class Index> void fill(const char* name, Index& index, std::int64_t entries) {
    tg::overflow_flag flag;
    const std::vector<std::int64_t> keys = shuffled(entries);
    auto next = keys.begin();
    report(name, "insert, random", entries, [&] {
        const std::int64_t key = *next++;
        return std::int64_t{index.insert(flag, key, {key % 16, 0.25})};
    });
    std::printf("%-14s %-18s %8.1f\n", name, "bytes per entry",
                static_cast<double>(index.bytes()) / static_cast<double>(entries));
}

template <class Tuning> void measure(const char* name, std::int64_t entries, std::int64_t rounds) {
    index_of<Tuning> index;
    fill(name, index, entries);
    tg::overflow_flag flag;
    random_numbers random;
    report(name, "find", rounds, [&] { return index.find(any_key(random, entries)).key() & 7; });
    report(name, "add", rounds, [&] { return std::int64_t{index.add(flag, any_key(random, entries), {1, 0.25})}; });
    report(name, "insert + erase", rounds, [&] {
        const std::int64_t key = any_key(random, entries) + 1;
        const bool added = index.insert(flag, key, {1, 0.25});
        return std::int64_t{added && index.erase(flag, key)};
    });
    report(name, "range sum", rounds, [&] {
        const std::int64_t low = any_key(random, entries);
        const std::int64_t high = any_key(random, entries);
        const auto sums = index.range_sum(flag, tg::inclusive(std::min(low, high)), tg::exclusive(std::max(low, high)));
        return static_cast<std::int64_t>(std::get<0>(sums)) & 0xff;
    });
    report(name, "prefix sum", rounds, [&] {
        const auto sums = index.range_sum(flag, tg::unbounded, tg::exclusive(any_key(random, entries)));
        return static_cast<std::int64_t>(std::get<0>(sums)) & 0xff;
    });
    report(name, "find_prefix", rounds, [&] {
        const auto found = index.template find_prefix<0>(flag, any_key(random, entries) * 3, std::greater<>{});
        return found.at ? found.at.key() & 0xff : 0;
    });
    report(name, "kth", rounds,
           [&] { return index.kth(static_cast<std::size_t>(any_key(random, entries) / 2)).key() & 7; });
    report(name, "last", rounds, [&] { return index.last().key() & 7; });
    auto at = index.first();
    report(name, "next", entries, [&] {
        const std::int64_t key = at.key();
        at = at.next();
        return key & 7;
    });
}

// What the standard library can do: no sums, no ranks.
void measure_map(std::int64_t entries, std::int64_t rounds) {
    std::map<std::int64_t, std::pair<std::int64_t, double>> map;
    const std::vector<std::int64_t> keys = shuffled(entries);
    auto next = keys.begin();
    report("std::map", "insert, random", entries, [&] {
        const std::int64_t key = *next++;
        return std::int64_t{map.try_emplace(key, key % 16, 0.25).second};
    });
    random_numbers random;
    report("std::map", "find", rounds, [&] { return map.find(any_key(random, entries))->first & 7; });
    report("std::map", "insert + erase", rounds, [&] {
        const std::int64_t key = any_key(random, entries) + 1;
        map.try_emplace(key, 1, 0.25);
        return static_cast<std::int64_t>(map.erase(key));
    });
    auto at = map.begin();
    report("std::map", "next", entries, [&] { return at++->first & 7; });
}

// Groups of `size` entries; `entries` in all.
void measure_groups(std::int64_t entries, std::int64_t size, std::int64_t rounds) {
    tg::grouped_ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_key<std::int64_t>, two_slots> index;
    tg::overflow_flag flag;
    random_numbers random;
    const std::int64_t groups = std::max<std::int64_t>(1, entries / size);
    const std::string name = "groups of " + std::to_string(size);
    for (std::int64_t i = 0; i < groups * size; ++i) {
        index.insert(flag, i % groups, i / groups * 2, {1, 0.25});
    }
    std::printf("%-14s %-18s %8.1f\n", name.c_str(), "bytes per group",
                static_cast<double>(index.bytes()) / static_cast<double>(groups));
    report(name.c_str(), "insert + erase", rounds, [&] {
        const std::int64_t group = any_key(random, groups) / 2;
        const std::int64_t key = any_key(random, size) + 1;
        const bool added = index.insert(flag, group, key, {1, 0.25});
        return std::int64_t{added && index.erase(flag, group, key)};
    });
    report(name.c_str(), "last", rounds, [&] { return index.group(any_key(random, groups) / 2).last().key() & 7; });
}

} // namespace

int main(int count, char** arguments) {
    const std::int64_t entries = count > 1 ? std::atoll(arguments[1]) : 1'000'000;
    const std::int64_t rounds = 1'000'000;
    if (count > 2 && std::strcmp(arguments[2], "tune") == 0) {
        for (int round = 0; round < 2; ++round) {
            measure<sized<32, 16>>("leaf 32 in 16", entries, rounds);
            measure<sized<32, 32>>("leaf 32 in 32", entries, rounds);
            measure<sized<64, 32>>("leaf 64 in 32", entries, rounds);
            measure<sized<128, 64>>("leaf 128 in 64", entries, rounds);
        }
        return 0;
    }
    measure<tg::ordered_tuning>("ordered_index", entries, rounds);
    measure_map(entries, rounds);
    for (const std::int64_t size : {1, 4, 16, 64, 1000}) {
        measure_groups(entries, size, rounds);
    }
}
