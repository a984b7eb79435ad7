#include "check.hpp"

#include <toastergen/value.hpp>

using std::int64_t;
using tg::int128;
using tg::overflow_flag;

constexpr int64_t max64 = std::numeric_limits<int64_t>::max();
constexpr int64_t min64 = std::numeric_limits<int64_t>::min();

CASE(arithmetic_in_range_leaves_the_flag_alone) {
    overflow_flag flag;
    CHECK(tg::add(flag, int64_t{2}, int64_t{3}) == 5);
    CHECK(tg::sub(flag, int128{2}, int128{3}) == -1);
    CHECK(tg::mul(flag, int64_t{-4}, int64_t{5}) == -20);
    CHECK(tg::mul(flag, int128{max64}, int128{max64}) == int128{max64} * max64);
    CHECK(tg::mul(flag, int128{-1}, tg::int128_max) == -tg::int128_max);
    CHECK(tg::mul(flag, int128{0}, tg::int128_min) == 0);
    CHECK(!flag.set);
}

CASE(overflow_sets_the_flag_and_the_flag_sticks) {
    overflow_flag flag;
    CHECK(tg::add(flag, max64, int64_t{1}) == min64);
    CHECK(flag.set);
    tg::add(flag, int64_t{1}, int64_t{1});
    CHECK(flag.set);
}

template <class Operation> bool overflows(Operation&& operation) {
    overflow_flag flag;
    operation(flag);
    return flag.set;
}

CASE(every_operation_notices_overflow) {
    CHECK(overflows([](auto& f) { tg::sub(f, min64, int64_t{1}); }));
    CHECK(overflows([](auto& f) { tg::mul(f, max64, int64_t{2}); }));
    CHECK(overflows([](auto& f) { tg::add(f, tg::int128_max, int128{1}); }));
    CHECK(overflows([](auto& f) { tg::mul(f, tg::int128_min, int128{-1}); }));
    CHECK(overflows([](auto& f) { tg::mul(f, int128{-1}, tg::int128_min); }));
    CHECK(overflows([](auto& f) { tg::mul(f, int128{1} << 64, int128{1} << 63); }));
    CHECK(!overflows([](auto& f) { tg::mul(f, int128{1} << 63, -(int128{1} << 64)); }));
    CHECK(overflows([](auto& f) { tg::narrow<int64_t>(f, int128{max64} + 1); }));
    CHECK(!overflows([](auto& f) { tg::narrow<int64_t>(f, int128{min64}); }));
    CHECK(overflows([](auto& f) { tg::rescale_up(f, int64_t{10}, 18); }));
    CHECK(overflows([](auto& f) { tg::rescale_up(f, int64_t{1}, 19); }));
    CHECK(overflows([](auto& f) { tg::rescale_up(f, int128{2}, 38); }));
}

CASE(a_wrapped_sum_returns_when_its_parts_are_taken_back) {
    overflow_flag flag;
    int64_t slot = 7;
    for (int i = 0; i < 3; ++i) {
        tg::accumulate(flag, slot, max64);
    }
    CHECK(flag.set);
    for (int i = 0; i < 3; ++i) {
        tg::accumulate(flag, slot, -max64);
    }
    CHECK(slot == 7);
}

CASE(modulo_follows_the_dividend) {
    CHECK(tg::modulo(7, 3) == 1);
    CHECK(tg::modulo(-7, 3) == -1);
    CHECK(tg::modulo(7, -3) == 1);
    CHECK(tg::modulo(min64, -1) == 0);
    CHECK(tg::modulo(5, 0) == 0);
}

CASE(fewer_places_round_half_away_from_zero) {
    CHECK(tg::rescale_down(int64_t{149}, 2) == 1);
    CHECK(tg::rescale_down(int64_t{150}, 2) == 2);
    CHECK(tg::rescale_down(int64_t{-150}, 2) == -2);
    CHECK(tg::rescale_down(int64_t{-149}, 2) == -1);
    CHECK(tg::rescale_down(int64_t{42}, 0) == 42);
    CHECK(tg::rescale_down(max64, 19) == 1);
    CHECK(tg::rescale_down(tg::int128_max, 38) == 2);
    CHECK(tg::rescale_down(tg::int128_min, 38) == -2);
}

CASE(more_places_multiply) {
    overflow_flag flag;
    CHECK(tg::rescale_up(flag, int64_t{-12}, 3) == -12000);
    CHECK(tg::rescale_up(flag, int64_t{0}, 30) == 0);
    CHECK(tg::rescale_up(flag, int128{1}, 38) == tg::power_of_ten(38));
    CHECK(!flag.set);
}

CASE(decimals_become_the_nearest_double) {
    CHECK(tg::to_double(int64_t{1115}, 3) == 1.115);
    CHECK(tg::to_double(int128{-1}, 1) == -0.1);
    CHECK(tg::to_double(int64_t{5}, 0) == 5.0);
    CHECK(tg::to_double(tg::power_of_ten(38), 38) == 1.0);
}

CASE(doubles_become_decimals_by_their_exact_value) {
    overflow_flag flag;
    CHECK(tg::from_double<int64_t>(flag, 1.115, 2) == 112); // its product is 111.50000000000001
    CHECK(tg::from_double<int64_t>(flag, 0.125, 2) == 13);  // exactly half
    CHECK(tg::from_double<int64_t>(flag, -0.125, 2) == -13);
    CHECK(tg::from_double<int64_t>(flag, 0.49999999999999994, 0) == 0);
    CHECK(tg::from_double<int128>(flag, 0x1p100, 0) == int128{1} << 100);
    CHECK(tg::from_double<int128>(flag, 0x1.0000000000001p53, 1) == int128{90071992547409936}); // the nearest double
    CHECK(!flag.set);
    CHECK(overflows([](auto& f) { tg::from_double<int64_t>(f, 1e19, 0); }));
    CHECK(overflows([](auto& f) { tg::from_double<int128>(f, 1e38, 2); }));
    CHECK(overflows([](auto& f) { tg::from_double<int64_t>(f, std::nan(""), 0); }));
    CHECK(overflows([](auto& f) { tg::from_double<int64_t>(f, -INFINITY, 0); }));
}

CASE(compensated_sums_return_to_zero) {
    tg::compensated sum;
    double plain = 0;
    for (const double sign : {1.0, -1.0}) {
        for (int i = 1; i <= 1000; ++i) {
            sum.add(sign * (0.1 * i + 1e9 / i));
            plain += sign * (0.1 * i + 1e9 / i);
        }
    }
    CHECK(sum.value() == 0);
    CHECK(tg::is_zero(sum));
    CHECK(plain != 0); // else this case shows nothing
}

CASE(compensated_keeps_small_values_beside_large_ones) {
    tg::compensated sum;
    sum.add(1e16);
    sum.add(1.0);
    sum.add(-1e16);
    CHECK(sum.value() == 1.0);
}

CASE(compensated_passes_infinities_on) {
    tg::compensated sum;
    sum.add(1.0);
    sum.add(INFINITY);
    sum.add(5.0);
    CHECK(sum.value() == INFINITY);
    sum.add(-INFINITY);
    CHECK(std::isnan(sum.value()));
}

CASE(floating_keys_have_one_zero_and_one_nan) {
    CHECK(tg::key_bits(-0.0) == tg::key_bits(0.0));
    CHECK(tg::key_bits(std::nan("1")) == tg::key_bits(-std::nan("2")));
    CHECK(tg::key_bits(1.0) != tg::key_bits(-1.0));
}
