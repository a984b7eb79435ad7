// Random changes of a map with ranges, every sum judged by adding up the records one by one.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/ranged_map.hpp>

#include <cmath>
#include <map>

struct row {
    std::int32_t group;
    tg::nullable<std::int64_t> at;
    tg::nullable_text name;
    std::int64_t count{};
    tg::compensated price;
    tg::int128 wide{};

    bool vacant() const { return count == 0; }
};

using map_type =
    tg::ranged_map<row, tg::fields<&row::group, &row::at, &row::name>, tg::slices<>,
                   tg::ranges<tg::range<tg::fields<&row::group>, &row::at, tg::fields<&row::count, &row::price>>,
                              tg::range<tg::fields<>, &row::at, tg::fields<&row::wide>>,
                              tg::range<tg::fields<&row::name, &row::at>, &row::group, tg::fields<&row::count>>,
                              tg::range<tg::fields<>, &row::name, tg::fields<&row::count>>,
                              tg::range<tg::fields<&row::group, &row::at>, &row::name, tg::fields<&row::count>>>>;

static bool is_missing(const tg::nullable_text& name) {
    return name.is_null();
}

template <class Inside, class Group> static row added(const map_type& map, Inside&& inside, Group&& belongs) {
    row result{};
    for (const row& each : map.all()) {
        if (each.count != 0 && belongs(each) && inside(each)) {
            result.count += each.count;
            result.price.add(each.price.words());
            result.wide += each.wide;
        }
    }
    return result;
}

static bool near(double left, double right) {
    return std::abs(left - right) <= 1e-9 * std::max(1.0, std::abs(right));
}

static void compare(const map_type& map, random_source& random) {
    tg::overflow_flag flag;
    const auto low = static_cast<std::int64_t>(random.below(12));
    const auto high = static_cast<std::int64_t>(random.below(12));
    const auto group = static_cast<std::int32_t>(random.below(4));
    const auto above = [&](std::int64_t at) { return at > low; };
    const auto below = [&](std::int64_t at) { return at <= high; };
    const auto mine = [&](const row& each) { return each.group == group; };
    const auto all = [](const row&) { return true; };

    const auto first = map.sum<0>(flag, tg::from_where{above}, tg::unbounded, group);
    const row wanted = added(map, [&](const row& each) { return each.at.present && above(each.at.value); }, mine);
    CHECK(first.count == wanted.count && near(first.price.value(), wanted.price.value()));
    CHECK(first.any == (wanted.count != 0));

    const auto between = map.sum<1>(flag, tg::from_where{above}, tg::until_where{below});
    const auto inside = [&](const row& each) {
        return each.at.present && above(each.at.value) && below(each.at.value);
    };
    CHECK(between.wide == added(map, inside, all).wide);

    std::map<std::int32_t, std::int64_t> seen;
    map.each_sum<0>(flag, tg::from_where{above}, tg::unbounded,
                    [&](const auto& each) { CHECK(seen.emplace(each.group, each.count).second); });
    for (std::int32_t one = 0; one < 4; ++one) {
        const auto alone = map.sum<0>(flag, tg::from_where{above}, tg::unbounded, one);
        CHECK(alone.any == seen.contains(one) && (!alone.any || alone.count == seen[one]));
    }
    std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> paired;
    map.each_sum<4>(flag, tg::unbounded, tg::unbounded, [&](const auto& each) {
        CHECK(paired.emplace(std::pair{each.group, each.at.present ? each.at.value : -1}, each.count).second);
    });
    for (const auto& [pair, count] : paired) {
        const auto belongs = [&pair](const row& each) {
            return each.group == pair.first && (each.at.present ? each.at.value : -1) == pair.second &&
                   !is_missing(each.name);
        };
        CHECK(added(map, all, belongs).count == count);
    }

    const std::string text = random.text();
    const tg::nullable<std::string_view> name =
        random.below(3) == 0 ? tg::null_of<std::string_view>() : tg::nullable<std::string_view>{text};
    const auto small = [&](std::int32_t each) { return each < group; };
    const tg::nullable<std::int64_t> at = random.below(3) == 0 ? tg::null_of<std::int64_t>() : tg::nullable{low};
    const auto third = map.sum<2>(flag, tg::unbounded, tg::until_where{small}, name, at);
    const auto same = [&](const row& each) { return tg::same(map.view(each.name), name) && tg::same(each.at, at); };
    CHECK(third.count == added(map, [&](const row& each) { return small(each.group); }, same).count);

    const auto later = [&](std::string_view each) { return each >= text; };
    const auto fourth = map.sum<3>(flag, tg::from_where{later}, tg::unbounded);
    const auto named = [&](const row& each) {
        const auto shown = map.view(each.name);
        return shown.present && later(shown.value);
    };
    CHECK(fourth.count == added(map, named, all).count);
    CHECK(!flag.set);
}

static void churn(std::uint64_t seed, bool deferred) {
    random_source random(seed);
    map_type map;
    tg::overflow_flag flag;
    struct change {
        std::int32_t group;
        tg::nullable<std::int64_t> at;
        tg::nullable<std::string> name;
        double price;
    };
    std::vector<change> live;
    const auto apply = [&](const change& each, std::int64_t sign) {
        const auto change_it = [&](row& record) {
            tg::accumulate(flag, record.count, sign);
            tg::accumulate(flag, record.price, static_cast<double>(sign) * each.price);
            tg::accumulate(flag, record.wide, tg::int128{sign} * 1'000'000'007);
        };
        const auto name =
            each.name.present ? tg::nullable<std::string_view>{each.name.value} : tg::null_of<std::string_view>();
        if (deferred) {
            map.update_deferred(flag, change_it, each.group, each.at, name);
        } else {
            map.update(flag, change_it, each.group, each.at, name);
        }
    };
    for (int step = 0; step < 3000; ++step) {
        if (!live.empty() && random.below(100) < (step < 1500 ? 35u : 60u)) {
            const std::size_t place = random.below(live.size());
            apply(live[place], -1);
            live[place] = live.back();
            live.pop_back();
        } else {
            static constexpr double prices[] = {0.1, 1e6, -2.5, 3.0};
            const tg::nullable<std::int64_t> at = random.below(6) == 0
                                                      ? tg::null_of<std::int64_t>()
                                                      : tg::nullable{static_cast<std::int64_t>(random.below(11))};
            const tg::nullable<std::string> name =
                random.below(5) == 0 ? tg::null_of<std::string>() : tg::nullable<std::string>{random.text()};
            live.push_back({static_cast<std::int32_t>(random.below(4)), at, name, prices[random.below(4)]});
            apply(live.back(), 1);
        }
        if (deferred && random.below(7) == 0) {
            map.sweep(flag);
        }
        if (random.below(5) == 0) {
            compare(map, random);
        }
    }
    for (const change& each : live) {
        apply(each, -1);
    }
    map.sweep(flag);
    CHECK(map.size() == 0 && !flag.set);
    const auto everything = map.sum<1>(flag, tg::unbounded, tg::unbounded);
    CHECK(!everything.any && everything.wide == 0);
}

CASE(sums_follow_the_records) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        churn(seed, false);
    }
}

CASE(sums_follow_records_that_come_back_before_the_sweep) {
    for (std::uint64_t seed = 11; seed <= 16; ++seed) {
        churn(seed, true);
    }
}

CASE(an_unknown_group_has_no_sum) {
    map_type map;
    tg::overflow_flag flag;
    CHECK(!map.sum<0>(flag, tg::unbounded, tg::unbounded, 7).any);
}

CASE(clearing_forgets_the_sums) {
    map_type map;
    tg::overflow_flag flag;
    map.update(flag, [&](row& record) { record.count = 3; }, 1, std::int64_t{5}, std::string_view("a"));
    CHECK(map.sum<0>(flag, tg::unbounded, tg::unbounded, 1).count == 3);
    map.clear();
    CHECK(!map.sum<0>(flag, tg::unbounded, tg::unbounded, 1).any);
}

CASE(a_sum_that_leaves_its_type_is_noted) {
    map_type map;
    tg::overflow_flag flag;
    for (const char* name : {"a", "b", "c"}) {
        map.update(
            flag, [&](row& record) { record.count = std::int64_t{1} << 62; }, 1, std::int64_t{5},
            std::string_view(name));
    }
    CHECK(!flag.set);
    static_cast<void>(map.sum<0>(flag, tg::unbounded, tg::unbounded, 1));
    CHECK(flag.set);
}
