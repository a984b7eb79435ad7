// The speed of this machine at this moment, as a unit that rates of different machines can be divided by: random
// increments of a std::unordered_map from 64-bit integers to doubles, per second of CPU time.
//
//     small   10,000 keys: everything in the cache
//     large   2,000,000 keys: a cache miss or two per increment
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <unordered_map>

namespace {

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// xorshift: three shifts cost nothing beside the map.
struct random_numbers {
    std::uint64_t state = 88172645463325252u;
    std::uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
};

double increments_per_second(std::int64_t keys, std::int64_t increments) {
    std::unordered_map<std::int64_t, double> counts;
    counts.reserve(static_cast<std::size_t>(keys));
    for (std::int64_t key = 0; key < keys; ++key) {
        counts[key] = 0;
    }
    random_numbers random;
    const double start = cpu_seconds();
    for (std::int64_t i = 0; i < increments; ++i) {
        counts[static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(keys))] += 1.0;
    }
    const double seconds = cpu_seconds() - start;
    double total = 0;
    for (const auto& entry : counts) {
        total += entry.second;
    }
    return static_cast<std::int64_t>(total) == increments ? static_cast<double>(increments) / seconds : 0;
}

} // namespace

int main() {
    double small = 0;
    double large = 0;
    for (int round = 0; round < 3; ++round) {
        small = std::max(small, increments_per_second(10'000, 4'000'000));
        large = std::max(large, increments_per_second(2'000'000, 2'000'000));
    }
    std::printf("small %.0f\nlarge %.0f\n", small, large);
}
