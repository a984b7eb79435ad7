// Random weights and thresholds, the intervals judged by asking every value one by one.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/running_interval.hpp>

#include <map>
#include <set>

template <class Slot, bool FromTop, bool CountsNothing, bool Rising>
static void churn(std::uint64_t seed, bool negative) {
    using weight = std::conditional_t<std::is_same_v<Slot, tg::compensated>, double, Slot>;
    using tested = tg::running_interval<std::int32_t, Slot, tg::nullable<std::int64_t>, FromTop, CountsNothing, Rising>;
    random_source random(seed);
    tested found;
    std::map<std::int32_t, weight> model;
    std::set<std::pair<std::int64_t, std::int64_t>> shown;
    tg::overflow_flag flag;
    tg::nullable<std::int64_t> limit = std::int64_t{7};
    found.threshold(limit, 1);
    const auto holds = [](const auto& sum, const tg::nullable<std::int64_t>& against) {
        const auto known = static_cast<weight>(against.value);
        return against.present && (Rising ? sum >= known : sum < known);
    };
    const auto ends = [](const tg::nullable<std::int32_t>& low, const tg::nullable<std::int32_t>& high) {
        return std::pair{low.present ? std::int64_t{low.value} : -1000, high.present ? std::int64_t{high.value} : 1000};
    };
    for (int step = 0; step < 4000; ++step) {
        if (random.below(4) == 0) {
            found.threshold(limit, -1);
            limit = random.below(9) == 0 ? tg::null_of<std::int64_t>()
                                         : tg::nullable{static_cast<std::int64_t>(random.below(60)) - 5};
            found.threshold(limit, 1);
        } else {
            const auto key = static_cast<std::int32_t>(random.below(40));
            const auto old = model.find(key);
            const bool was = old != model.end();
            const bool is = random.below(step < 2500 ? 4 : 2) != 0;
            const auto value = static_cast<weight>(static_cast<std::int64_t>(random.below(9)) - (negative ? 4 : 0));
            found.weigh(flag, key, was, was ? old->second : weight{}, is, is ? value : weight{});
            model.erase(key);
            if (is) {
                model[key] = value;
            }
        }
        found.settle(
            flag, holds, [&](auto low, auto high) { CHECK(shown.erase(ends(low, high)) == 1); },
            [&](auto low, auto high) { CHECK(shown.insert(ends(low, high)).second); });
        // Between keys: a half is a value that no key has.
        for (int half = -3; half < 85; half += 2) {
            weight sum{};
            bool any = false;
            for (const auto& [key, value] : model) {
                if (FromTop ? 2 * key > half : 2 * key < half) {
                    sum += value;
                    any = true;
                }
            }
            const bool wanted = (any || CountsNothing) && holds(sum, limit);
            bool have = false;
            for (const auto& [low, high] : shown) {
                have = have || (2 * low < half && half < 2 * high);
            }
            CHECK(wanted == have);
        }
    }
    CHECK(!flag.set);
}

static void all_kinds(bool negative) {
    churn<std::int64_t, true, false, false>(1, negative);
    churn<std::int64_t, true, false, true>(2, negative);
    churn<std::int64_t, true, true, false>(3, negative);
    churn<std::int64_t, false, false, true>(4, negative);
    churn<std::int64_t, false, true, false>(5, negative);
    churn<std::int64_t, false, true, true>(6, negative);
}

CASE(intervals_follow_weights_and_thresholds) {
    all_kinds(false);
}
CASE(negative_weights_make_several_intervals) {
    all_kinds(true);
}
CASE(intervals_of_other_weights) {
    churn<tg::int128, true, true, true>(7, false);
    churn<tg::compensated, false, false, false>(8, false);
    churn<tg::compensated, false, false, false>(9, true);
}
