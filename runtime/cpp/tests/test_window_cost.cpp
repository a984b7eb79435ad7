// Windows: sums that overflow, infinities that come and go, and what a change costs.
#include "check.hpp"

#include <toastergen/window.hpp>

#include <limits>
#include <map>

template <std::int64_t Start, std::int64_t End>
using rows_between = tg::rows_frame<tg::row_offset<Start>, tg::row_offset<End>>;

// --- overflow -------------------------------------------------------------------------------------------------------

struct amount {
    std::int64_t place{};
    std::int64_t value{};
};
struct sums {
    std::int64_t last_two{};
};
using by_place = tg::window_order<tg::order_key<&amount::place>>;
using pairs = tg::window<amount, sums, tg::fields<>, by_place, by_place, tg::fields<&sums::last_two>,
                         tg::framed<&sums::last_two, tg::exact_sum<&amount::value, std::int64_t>, rows_between<-1, 0>>>;

CASE(only_the_sum_of_a_frame_can_overflow) {
    constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
    pairs window;
    tg::overflow_flag flag;
    const auto ignore = [](const amount&, const sums&) {};
    window.change({1, large}, 1);
    window.change({2, -1}, 1);
    window.change({3, large}, 1);
    window.settle(flag, ignore, ignore);
    CHECK(!flag.set);
    window.change({4, 1}, 1);
    window.settle(flag, ignore, ignore);
    CHECK(flag.set);
    flag.set = false;
    window.change({4, 1}, -1);
    window.settle(flag, ignore, ignore);
    CHECK(!flag.set);
}

// --- doubles --------------------------------------------------------------------------------------------------------

struct measure {
    std::int64_t place{};
    tg::nullable<double> value{};
};
struct means {
    tg::nullable<double> running{};
    tg::nullable<double> sliding{};
    tg::nullable<double> greatest{};
};
using in_order = tg::window_order<tg::order_key<&measure::place>>;
using measures = tg::window<
    measure, means, tg::fields<>, in_order, tg::window_order<tg::order_key<&measure::value>>,
    tg::fields<&means::running, &means::sliding, &means::greatest>,
    tg::framed<&means::running, tg::double_sum<&measure::value>, tg::rows_frame<tg::partition_edge, tg::row_offset<0>>>,
    tg::framed<&means::sliding, tg::double_sum<&measure::value>, rows_between<-1, 0>>,
    tg::framed<&means::greatest, tg::end_value<&measure::value, -1>, rows_between<-1, 0>>>;

CASE(infinity_leaves_no_trace_behind_its_frame) {
    measures window;
    tg::overflow_flag flag;
    std::map<std::int64_t, means> now;
    const auto settle = [&] {
        window.settle(
            flag, [&](const measure& m, const means&) { now.erase(m.place); },
            [&](const measure& m, const means& x) { now[m.place] = x; });
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    window.change({1, 1e300}, 1);
    window.change({2, infinity}, 1);
    window.change({3, 0.1}, 1);
    window.change({4, 0.2}, 1);
    window.change({5, {}}, 1);
    settle();
    CHECK(now[2].sliding.value == infinity);
    CHECK(now[4].sliding.value == 0.1 + 0.2);
    CHECK(now[5].sliding.value == 0.2);
    CHECK(now[5].running.value == infinity);
    window.change({2, infinity}, -1);
    window.change({1, 1e300}, -1);
    settle();
    CHECK(now[4].running.value == 0.1 + 0.2);
    window.change({6, {}}, 1);
    settle();
    CHECK(!now[6].sliding.present);
    CHECK(!now[6].greatest.present);
    window.change({7, std::numeric_limits<double>::quiet_NaN()}, 1);
    window.change({8, infinity}, 1);
    settle();
    CHECK(now[8].greatest.value != now[8].greatest.value); // NaN is greater than every number
}

// --- what a change costs --------------------------------------------------------------------------------------------

static long looks = 0;

struct counting_order {
    template <class Row> static int compare(const Row& left, const Row& right) {
        ++looks;
        return left.place < right.place ? -1 : right.place < left.place;
    }
};
struct event {
    std::int64_t group{};
    std::int64_t place{};
    std::int64_t value{};
};
struct tally {
    std::int64_t number{};
    std::int64_t rank{};
    std::int64_t total{};
    tg::nullable<std::int64_t> last{};
};
using events =
    tg::window<event, tally, tg::fields<&event::group>, counting_order, tg::window_order<tg::order_key<&event::value>>,
               tg::fields<&tally::number, &tally::rank, &tally::total, &tally::last>, tg::row_number<&tally::number>,
               tg::rank<&tally::rank, counting_order>,
               tg::framed<&tally::total, tg::exact_sum<&event::value, std::int64_t>,
                          tg::range_frame<counting_order, void, tg::partition_edge, tg::current_peers>>,
               tg::neighbour<&tally::last, &event::value, -1, nullptr>>;

struct cost {
    long looks = 0;
    long news = 0;
};

static cost cost_of(events& window, const event& what, std::int64_t weight) {
    tg::overflow_flag flag;
    cost found;
    const auto count = [&](const event&, const tally&) { ++found.news; };
    looks = 0;
    window.change(what, weight);
    window.settle(flag, count, count);
    found.looks = looks;
    return found;
}

static void fill(events& window, int groups, int size) {
    tg::overflow_flag flag;
    const auto ignore = [](const event&, const tally&) {};
    for (int group = 0; group < groups; ++group) {
        for (int place = 0; place < size; ++place) {
            window.change({group, place, 1}, 1);
        }
    }
    window.settle(flag, ignore, ignore);
}

CASE(a_change_costs_its_partition_and_not_the_state) {
    events few;
    events many;
    fill(few, 2, 50);
    fill(many, 2000, 50);
    const cost small = cost_of(few, {1, 25, 7}, 1);
    const cost large = cost_of(many, {1, 25, 7}, 1);
    CHECK(small.looks == large.looks);
    CHECK(small.news == large.news);
    CHECK(large.looks < 50 * 8);
}

CASE(a_row_behind_all_others_costs_no_more_than_itself) {
    events window;
    fill(window, 1, 100000);
    const cost last = cost_of(window, {0, 100000, 7}, 1);
    CHECK(last.news == 1);
    CHECK(last.looks < 64);
    CHECK(cost_of(window, {0, 100000, 7}, -1).news == 1);
}

CASE(empty_partitions_leave_no_memory_behind) {
    events window;
    tg::overflow_flag flag;
    const auto ignore = [](const event&, const tally&) {};
    const std::size_t before = window.bytes();
    fill(window, 1000, 20);
    const std::size_t full = window.bytes();
    for (int group = 0; group < 1000; ++group) {
        for (int place = 0; place < 20; ++place) {
            window.change({group, place, 1}, -1);
        }
    }
    window.settle(flag, ignore, ignore);
    CHECK(window.partitions() == 0);
    CHECK(window.bytes() < before + full / 20);
}
