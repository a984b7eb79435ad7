#include "check.hpp"
#include "random.hpp"

#include <toastergen/value.hpp>

#include <utility>
#include <vector>

using tg::compensated;
using tg::double_word;
using tg::product;

CASE(a_product_of_two_doubles_is_exact) {
    const double_word square = product(0.1, 0.1);
    CHECK(square.high == 0.1 * 0.1);
    CHECK(square.low == std::fma(0.1, 0.1, -square.high));
    CHECK(square.low != 0); // else this case shows nothing
}

CASE(a_weight_times_a_value_is_the_value_added_that_often) {
    for (const std::int64_t weight : {2, 3, 7, 1000}) {
        compensated sum;
        sum.add(product(weight, 0.1));
        for (std::int64_t i = 0; i < weight; ++i) {
            sum.add(-0.1);
        }
        CHECK(tg::is_zero(sum));
    }
}

CASE(products_of_sums_keep_the_small_value_beside_the_large_one) {
    compensated mixed;
    mixed.add(1e6);
    mixed.add(0.1);
    compensated result;
    result.add(product(std::int64_t{84}, mixed));
    result.add(-product(std::int64_t{84}, 1e6));
    result.add(-product(std::int64_t{84}, 0.1));
    CHECK(tg::is_zero(result));
}

CASE(a_sum_of_two_words_is_added_whole) {
    compensated part;
    part.add(1e16);
    part.add(1.0);
    part.add(0x1p-40);
    compensated whole;
    whole.add(0x1p-45);
    tg::overflow_flag flag;
    tg::accumulate(flag, whole, part);
    whole.add(-1e16);
    whole.add(-1.0);
    CHECK(whole.value() == 0x1p-40 + 0x1p-45);
    tg::accumulate(flag, whole, -part);
    tg::accumulate(flag, whole, 1e16);
    tg::accumulate(flag, whole, 1.0);
    CHECK(whole.value() == 0x1p-45);
}

CASE(low_words_survive_when_high_words_cancel) {
    const double_word left{1.0, 0x1p-54 + 0x1p-100};
    const double_word right{-1.0, 0x1p-60};
    const double_word sum = left + right;
    CHECK(sum.high == 0x1p-54 + 0x1p-60 + 0x1p-100);
    CHECK(sum.low == 0);
}

CASE(sums_are_normalised) {
    random_source random(5);
    double_word sum;
    for (int i = 0; i < 10000; ++i) {
        const double value =
            std::ldexp(static_cast<double>(random.below(1u << 20)) - 0x1p19, static_cast<int>(random.below(80)));
        sum = i % 2 == 0 ? sum + value : sum + product(value, 0.1);
        CHECK(sum.high + sum.low == sum.high);
    }
}

CASE(streams_of_products_return_to_zero_in_any_order) {
    // Multiples of 2^-30 below 2^42: sums of all of them fit two words, so nothing may be left.
    random_source random(7);
    std::vector<std::pair<double_word, double_word>> rows;
    for (int i = 0; i < 500; ++i) {
        compensated left;
        left.add(static_cast<double>(random.below(1u << 20)) * 0x1p-10);
        left.add(static_cast<double>(random.below(1u << 20)) * 0x1p-30);
        rows.emplace_back(left.words(), double_word{static_cast<double>(random.below(1u << 20)), 0});
    }
    compensated sum;
    for (const auto& [left, right] : rows) {
        sum.add(product(left, right, std::int64_t{3}));
    }
    CHECK(!tg::is_zero(sum));
    for (std::size_t i = rows.size(); i-- > 0;) {
        sum.add(-product(std::int64_t{3}, rows[i * 7 % rows.size()].second, rows[i * 7 % rows.size()].first));
    }
    CHECK(tg::is_zero(sum));
}

CASE(integers_are_exact_factors) {
    for (const std::int64_t value :
         {std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1, -(std::int64_t{1} << 53) - 1,
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), std::int64_t{-7}}) {
        const double_word words = tg::to_double_word(value);
        CHECK(static_cast<tg::int128>(words.high) + static_cast<tg::int128>(words.low) == value);
        CHECK(words == tg::to_double_word(tg::int128{value}, 0));
    }
    CHECK(product(std::int32_t{3}, 0.5) == (double_word{1.5, 0}));
}

CASE(decimals_are_divided_in_two_words) {
    CHECK(tg::to_double_word(125, 2) == (double_word{1.25, 0}));
    const double_word tenth = tg::to_double_word(tg::int128{1}, 1); // 0.1, further than a double goes
    CHECK(tenth.high == 0.1);
    compensated one;
    one.add(product(tenth, std::int64_t{10}));
    one.add(-1.0);
    CHECK(std::fabs(one.value()) < 0x1p-100);
    const tg::int128 wide = tg::power_of_ten(38) - 1;
    CHECK(tg::to_double_word(wide, 38).high == 1.0);
    CHECK(tg::to_double_word(-wide, 0) == -tg::to_double_word(wide, 0));
}

CASE(infinities_pass_through_products_and_sums) {
    CHECK(product(1e200, 1e200) == (double_word{INFINITY, 0}));
    CHECK(product(1e200, -1e200, 1e-200) == (double_word{-INFINITY, 0}));
    CHECK(std::isnan(product(INFINITY, 0.0).high));
    compensated sum;
    sum.add(product(1e200, 1e200));
    sum.add(product(0.1, 0.1));
    CHECK(sum.value() == INFINITY);
    sum.add(-product(1e200, 1e200));
    CHECK(std::isnan(sum.value()));
}

CASE(the_largest_double_does_not_become_infinite_by_its_error) {
    const double most = std::numeric_limits<double>::max();
    CHECK(std::isfinite((double_word{most, 0} + 0x1p960).high));
    CHECK(std::isfinite(product(most, 1.0).high));
}
