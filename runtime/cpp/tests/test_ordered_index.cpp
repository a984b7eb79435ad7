#include "ordered_model.hpp"

static constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Field, class... Slots>
using small_index = tg::ordered_index<tg::ordered_key<Field>, tg::ordered_slots<Slots...>, small_nodes>;

CASE(an_empty_index_answers_every_question) {
    small_index<double, std::int64_t> index;
    tg::overflow_flag flag;
    CHECK(index.empty() && index.height() == 0 && index.bytes() == 0);
    CHECK(!index.first() && !index.last() && !index.kth(0) && !index.find(1.0));
    CHECK(!index.lower_bound(1.0) && !index.upper_bound(1.0) && !index.last_until(tg::unbounded));
    CHECK(index.rank(1.0) == 0 && index.count(tg::unbounded, tg::inclusive(1.0)) == 0);
    CHECK(std::get<0>(index.total(flag)) == 0);
    CHECK(!index.find_prefix<0>(flag, -1, std::greater<>{}).at);
    CHECK(!index.erase(flag, 1.0) && !index.add(flag, 1.0, {1}));
}

CASE(bounds_are_open_closed_or_absent) {
    small_index<std::int32_t, std::int64_t> index;
    tg::overflow_flag flag;
    for (int key = 1; key <= 9; ++key) {
        index.insert(flag, key, {key});
    }
    const auto sum = [&](auto low, auto high) { return std::get<0>(index.range_sum(flag, low, high)); };
    CHECK(sum(tg::inclusive(3), tg::inclusive(5)) == 12);
    CHECK(sum(tg::exclusive(3), tg::inclusive(5)) == 9);
    CHECK(sum(tg::inclusive(3), tg::exclusive(5)) == 7);
    CHECK(sum(tg::exclusive(3), tg::exclusive(5)) == 4);
    CHECK(sum(tg::unbounded, tg::exclusive(3)) == 3);
    CHECK(sum(tg::exclusive(7), tg::unbounded) == 17);
    CHECK(sum(tg::unbounded, tg::unbounded) == 45);
    CHECK(sum(tg::inclusive(5), tg::inclusive(3)) == 0); // upside down: nothing is inside
    CHECK(sum(tg::exclusive(4), tg::exclusive(4)) == 0);
    CHECK(index.count(tg::inclusive(8), tg::inclusive(2)) == 0);
}

CASE(doubles_have_one_zero_and_nan_comes_last) {
    small_index<double, std::int64_t> index;
    tg::overflow_flag flag;
    for (const double key : {std::nan(""), infinite, -infinite, -0.0, 1e300, -1e-300, 5e-324}) {
        CHECK(index.insert(flag, key, {1}));
    }
    CHECK(!index.insert(flag, 0.0, {1}) && !index.insert(flag, -std::nan("7"), {1}));
    CHECK(index.first().key() == -infinite);
    CHECK(std::isnan(index.last().key()) && index.last().prev().key() == infinite);
    CHECK(index.find(0.0) && !std::signbit(index.find(0.0).key()));
    CHECK(index.count(tg::unbounded, tg::inclusive(infinite)) == 6);
    CHECK(index.count(tg::exclusive(0.0), tg::exclusive(infinite)) == 2);
    CHECK(index.erase(flag, 0.0) && index.erase(flag, std::nan("")) && index.size() == 5);
}

CASE(bounds_may_name_leading_fields_only) {
    tg::ordered_index<tg::ordered_key<std::int64_t, tg::text>, tg::ordered_slots<std::int64_t>, small_nodes> index;
    tg::overflow_flag flag;
    for (std::int64_t amount = 0; amount < 10; ++amount) {
        for (const std::string_view name : {"a", "a string beyond twelve bytes", "z"}) {
            index.insert(flag, {amount, name}, {amount});
        }
    }
    CHECK(std::get<0>(index.range_sum(flag, tg::inclusive(4), tg::inclusive(5))) == 27);
    CHECK(std::get<0>(index.range_sum(flag, tg::exclusive(4), tg::inclusive(5))) == 15);
    CHECK(std::get<0>(index.range_sum(flag, tg::inclusive(4), tg::exclusive(5, "z"))) == 22);
    CHECK(index.upper_bound(4).key() == std::tuple(5, "a"));
    CHECK(index.last_until(tg::inclusive(4)).key() == std::tuple(4, "z"));
    CHECK(index.rank(9, "b") == 29);
}

// Volume weighted average price: the sum over all bids whose better bids hold less than a quarter of the volume.
CASE(a_threshold_on_a_running_sum_is_one_descent) {
    tg::ordered_index<tg::ordered_key<double>, tg::ordered_slots<std::int64_t, tg::compensated>> bids;
    tg::overflow_flag flag;
    for (int i = 0; i < 1000; ++i) {
        bids.insert(flag, i * 0.5, {1 + i % 4, i * 0.5 * (1 + i % 4)});
    }
    const auto quarter = std::get<0>(bids.total(flag)) / 4;
    const auto reached = bids.find_suffix<0>(flag, quarter, std::greater_equal<>{});
    double wanted = 0;
    for (auto at = bids.first(); at; at = at.next()) {
        const auto better = std::get<0>(bids.range_sum(flag, tg::exclusive(at.key()), tg::unbounded));
        wanted += better < quarter ? std::get<1>(at.payload()) : 0;
    }
    const auto range = bids.range_sum(flag, tg::inclusive(reached.at.key()), tg::unbounded);
    CHECK(std::get<1>(range) == wanted);
    CHECK(std::get<1>(reached.before) + std::get<1>(reached.at.payload()) == wanted);
}

CASE(entries_of_weight_zero_are_passed_over) {
    small_index<std::int64_t, std::int64_t> index;
    tg::overflow_flag flag;
    for (std::int64_t key = 0; key < 40; ++key) {
        index.insert(flag, key, {key % 10 == 7 ? 5 : 0});
    }
    CHECK(index.find_prefix<0>(flag, 5, std::greater_equal<>{}).at.key() == 7);
    CHECK(index.find_prefix<0>(flag, 5, std::greater<>{}).at.key() == 17);
    CHECK(index.find_suffix<0>(flag, 0, std::greater<>{}).at.key() == 37);
    CHECK(index.find_prefix<0>(flag, 0, std::greater_equal<>{}).at.key() == 0);
    CHECK(!index.find_suffix<0>(flag, 20, std::greater<>{}).at);
}

CASE(negative_weights_are_counted_per_slot) {
    small_index<std::int64_t, std::int64_t, tg::compensated> index;
    tg::overflow_flag flag;
    index.insert(flag, 1, {-1, 1.0});
    index.insert(flag, 2, {1, -1.0});
    index.insert(flag, 3, {0, std::nan("")}); // NaN breaks monotony as well
    CHECK(index.negatives<0>() == 1 && index.negatives<1>() == 2);
    index.add(flag, 1, {1, -2.0});
    CHECK(index.negatives<0>() == 0 && index.negatives<1>() == 3);
    index.add(flag, 2, {-5, 1.0});
    CHECK(index.negatives<0>() == 1 && index.negatives<1>() == 2);
    index.erase(flag, 2);
    CHECK(index.negatives<0>() == 0 && index.negatives<1>() == 2);
    index.clear();
    CHECK(index.negatives<1>() == 0);
}

CASE(sums_of_64_bit_slots_do_not_overflow) {
    small_index<std::int64_t, std::int64_t> index;
    tg::overflow_flag flag;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t key = 0; key < 50; ++key) {
        index.insert(flag, key, {most});
    }
    CHECK(std::get<0>(index.total(flag)) == tg::int128{most} * 50);
    CHECK(index.find_prefix<0>(flag, tg::int128{most} * 20, std::greater<>{}).at.key() == 20);
    CHECK(!flag.set);
}

CASE(a_slot_that_overflows_is_noted_and_can_be_undone) {
    small_index<std::int64_t, std::int64_t> index;
    tg::overflow_flag flag;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t key = 0; key < 50; ++key) {
        index.insert(flag, key, {most - 3});
    }
    CHECK(!flag.set);
    index.add(flag, 30, {10});
    CHECK(flag.set);
    index.add(flag, 30, {-10});
    {
        tg::overflow_flag later;
        CHECK(std::get<0>(index.total(later)) == tg::int128{most - 3} * 50);
        CHECK(index.negatives<0>() == 0 && !later.set);
    }
}

CASE(small_values_survive_beside_large_ones) {
    small_index<std::int64_t, tg::compensated> index;
    tg::overflow_flag flag;
    for (std::int64_t key = 0; key < 200; ++key) {
        index.insert(flag, key, {key % 2 == 0 ? 1e16 : 1.0});
    }
    for (std::int64_t key = 0; key < 200; key += 2) {
        index.erase(flag, key);
    }
    CHECK(std::get<0>(index.total(flag)) == 100.0);
    CHECK(std::get<0>(index.range_sum(flag, tg::inclusive(50), tg::exclusive(150))) == 50.0);
}

CASE(infinities_leave_with_their_entry) {
    small_index<std::int64_t, tg::compensated> index;
    tg::overflow_flag flag;
    for (std::int64_t key = 0; key < 100; ++key) {
        index.insert(flag, key, {0.5});
    }
    index.insert(flag, 1000, {infinite});
    index.insert(flag, -1000, {std::nan("")});
    CHECK(std::get<0>(index.range_sum(flag, tg::inclusive(0), tg::unbounded)) == infinite);
    CHECK(std::isnan(std::get<0>(index.total(flag))));
    index.erase(flag, 1000);
    index.erase(flag, -1000);
    CHECK(std::get<0>(index.total(flag)) == 50.0);
}

// Sums of any doubles, compared with sums in long double.
CASE(floating_sums_stay_near_the_truth) {
    random_source random(9);
    small_index<std::int64_t, tg::compensated> index;
    std::map<std::int64_t, double> model;
    tg::overflow_flag flag;
    for (int step = 0; step < 20'000; ++step) {
        const auto key = static_cast<std::int64_t>(random.below(300));
        if (model.erase(key) == 1) {
            index.erase(flag, key);
        } else {
            model[key] =
                std::ldexp(static_cast<double>(random.below(1u << 30)), static_cast<int>(random.below(40)) - 20);
            index.insert(flag, key, {model[key]});
        }
        long double wanted = 0;
        for (const auto& each : model) {
            wanted += each.first >= 100 && each.first < 200 ? each.second : 0;
        }
        const double sum = std::get<0>(index.range_sum(flag, tg::inclusive(100), tg::exclusive(200)));
        CHECK(std::fabs(static_cast<double>(wanted - sum)) <= 1e-15 * static_cast<double>(wanted));
    }
}

CASE(records_and_payloads_stay_with_their_keys) {
    small_index<tg::text, std::int64_t> index;
    tg::overflow_flag flag;
    CHECK(index.insert(flag, "b", {1}, 7));
    CHECK(!index.insert(flag, "b", {5}, 8));
    CHECK(!index.insert_or_add(flag, "b", {2}, 9));
    CHECK(index.insert_or_add(flag, "a", {3}, 10));
    CHECK(index.first().key() == "a" && index.first().record() == 10);
    CHECK(index.last().record() == 7 && std::get<0>(index.last().payload()) == 3);
    CHECK(index.erase(flag, index.first().key())); // a key that is read from the index itself
    CHECK(index.size() == 1 && index.first().key() == "b");
}

CASE(statistics_follow_and_memory_returns) {
    tg::ordered_index<tg::ordered_key<tg::text>, tg::ordered_slots<std::int64_t>> index;
    tg::overflow_flag flag;
    for (int i = 0; i < 100'000; ++i) {
        index.insert(flag, "a rather long key number " + std::to_string(i), {1});
    }
    const tg::ordered_stats full = index.stats();
    CHECK(full.entries == 100'000 && full.leaves > 1562 && full.inner_nodes > 48 && full.bytes > 5'000'000);
    CHECK(index.height() >= 3 && index.height() <= 5);
    index.clear();
    CHECK(index.empty() && index.stats().leaves == 0 && index.stats().inner_nodes == 0);
    CHECK(index.bytes() < 10'000'000);
    CHECK(index.insert(flag, "again", {1}) && std::get<0>(index.total(flag)) == 1);
}
