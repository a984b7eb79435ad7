// What an ordered index should answer, worked out from a std::map by looking at every entry.
#pragma once

#include "check.hpp"
#include "random.hpp"

#include <toastergen/grouped_ordered_index.hpp>

#include <functional>
#include <map>

// Nodes so small that a few dozen entries make a deep tree.
struct small_nodes {
    static constexpr std::uint32_t tiny = 1;
    static constexpr std::uint32_t small = 2;
    static constexpr std::uint32_t leaf = 4;
    static constexpr std::uint32_t inner = 4;
    static void visit() {}
};

// --- keys: a number decides the key, larger numbers make larger keys ------------------------------------------------

struct int32_keys {
    using key = tg::ordered_key<std::int32_t>;
    using owned = std::int32_t;
    static owned make(int n) { return n - 300; }
    static owned param(owned value) { return value; }
};

struct int64_keys {
    using key = tg::ordered_key<std::int64_t>;
    using owned = std::int64_t;
    static owned make(int n) { return (n - std::int64_t{300}) << 40; }
    static owned param(owned value) { return value; }
};

struct int128_keys {
    using key = tg::ordered_key<tg::int128>;
    using owned = tg::int128;
    static owned make(int n) { return tg::int128{n - 300} * (tg::int128{1} << 90); }
    static owned param(owned value) { return value; }
};

// Doubles between the infinities, and NaN as the largest.
struct double_keys {
    struct owned {
        double value;
        friend bool operator<(owned left, owned right) {
            return left.value < right.value || (std::isnan(right.value) && !std::isnan(left.value));
        }
    };
    using key = tg::ordered_key<double>;
    static owned make(int n) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        if (n == 300) {
            return {-0.0}; // equal to 0, which queries ask for
        }
        return {n == 0 ? -infinite : n == 599 ? infinite : n >= 600 ? std::nan("") : (n - 300) * 0.37};
    }
    static double param(owned value) { return value.value; }
};

// Strings of one prefix, short and long.
struct text_keys {
    using key = tg::ordered_key<tg::text>;
    using owned = std::string;
    static owned make(int n) {
        const std::string digits = std::to_string(1000000 + n);
        return n == 0 ? std::string{} : digits + std::string(static_cast<std::size_t>(n % 3) * 9, 'x');
    }
    static std::string_view param(const owned& value) { return value; }
};

struct composite_keys {
    using key = tg::ordered_key<std::int32_t, tg::text, std::int64_t>;
    using owned = std::tuple<std::int32_t, std::string, std::int64_t>;
    static owned make(int n) { return {n / 12, std::string(static_cast<std::size_t>(n / 3 % 4) * 6, 'y'), n % 3}; }
    static std::tuple<std::int32_t, std::string_view, std::int64_t> param(const owned& value) {
        return {std::get<0>(value), std::get<1>(value), std::get<2>(value)};
    }
};

// --- the model ------------------------------------------------------------------------------------------------------

struct entry {
    std::int64_t whole = 0;
    tg::int128 wide = 0;
    double floating = 0; // a small multiple of 1/4: sums of such are exact in any order
    std::uint32_t record = 0;
};
using three_slots = tg::ordered_slots<std::int64_t, tg::int128, tg::compensated>;
using three_values = std::tuple<std::int64_t, tg::int128, double>;

inline three_values random_values(random_source& random, bool negative) {
    const auto whole = static_cast<std::int64_t>(random.below(50)) - (negative ? 10 : 0);
    const auto wide = static_cast<tg::int128>(random.below(5)) << 90;
    return {whole, wide, static_cast<double>(random.below(4000)) / 4};
}

template <class Keys> class ordered_model {
public:
    using owned = typename Keys::owned;
    using sums = std::tuple<tg::int128, tg::int128, double>;

    std::map<owned, entry> entries;

    void add(const owned& key, const three_values& delta) {
        entry& changed = entries[key];
        changed.whole += std::get<0>(delta);
        changed.wide += std::get<1>(delta);
        changed.floating += std::get<2>(delta);
    }

    template <class Inside> std::pair<sums, std::size_t> sum_where(Inside&& inside) const {
        std::pair<sums, std::size_t> result{};
        for (const auto& [key, value] : entries) {
            if (inside(key)) {
                std::get<0>(result.first) += value.whole;
                std::get<1>(result.first) += value.wide;
                std::get<2>(result.first) += value.floating;
                ++result.second;
            }
        }
        return result;
    }

    // Every question, about two keys that need not be present.
    template <class View> void compare(const View& view, const owned& low, const owned& high, random_source& random) {
        CHECK(view.size() == entries.size() && view.empty() == entries.empty());
        compare_places(view, low, random);
        for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
            compare_range(view, low, high, kind % 3, kind / 3);
        }
        std::size_t negative = 0;
        for (const auto& each : entries) {
            negative += each.second.whole < 0 ? 1 : 0;
        }
        CHECK(view.template negatives<0>() == negative && view.template negatives<2>() == 0);
        if (negative == 0) {
            compare_crossing(view, static_cast<std::int64_t>(random.below(entries.size() * 30 + 2)));
        }
    }

    template <class View> void compare_order(const View& view) const {
        auto at = view.first();
        for (const auto& [key, value] : entries) {
            check_same(at, key, value);
            at = at ? at.next() : at;
        }
        CHECK(!at);
        at = view.last();
        for (auto each = entries.rbegin(); each != entries.rend(); ++each) {
            check_same(at, each->first, each->second);
            at = at ? at.prev() : at;
        }
        CHECK(!at);
    }

private:
    static bool same_key(const owned& left, const owned& right) { return !(left < right) && !(right < left); }

    template <class Position> static void check_same(const Position& at, const owned& key, const entry& value) {
        CHECK(at);
        if (at) {
            CHECK(same_key(own(at.key()), key));
            CHECK(at.payload() == three_values(value.whole, value.wide, value.floating));
            CHECK(at.record() == value.record);
        }
    }

    template <class Param> static owned own(const Param& key) {
        if constexpr (std::is_same_v<Keys, composite_keys>) {
            return {std::get<0>(key), std::string(std::get<1>(key)), std::get<2>(key)};
        } else {
            return owned{key};
        }
    }

    template <class Position, class Place> void check_place(const Position& at, Place place) const {
        CHECK(static_cast<bool>(at) == (place != entries.end()));
        if (place != entries.end()) {
            check_same(at, place->first, place->second);
        }
    }

    template <class Bound> static auto with_fields(const owned& key, Bound&& bound) {
        if constexpr (std::is_same_v<Keys, composite_keys>) {
            return std::apply(bound, Keys::param(key));
        } else {
            return bound(Keys::param(key));
        }
    }

    template <class View> void compare_places(const View& view, const owned& key, random_source& random) const {
        check_place(view.find(Keys::param(key)), entries.find(key));
        const auto lower = entries.lower_bound(key);
        const auto upper = entries.upper_bound(key);
        with_fields(key, [&](const auto&... fields) {
            check_place(view.lower_bound(fields...), lower);
            check_place(view.upper_bound(fields...), upper);
            check_place(view.last_until(tg::exclusive(fields...)), before(lower));
            check_place(view.last_until(tg::inclusive(fields...)), before(upper));
            CHECK(view.rank(fields...) == static_cast<std::size_t>(std::distance(entries.begin(), lower)));
        });
        check_place(view.first(), entries.begin());
        check_place(view.last(), before(entries.end()));
        check_place(view.first_from(tg::unbounded), entries.begin());
        check_place(view.last_until(tg::unbounded), before(entries.end()));
        const std::size_t rank = random.below(entries.size() + 1);
        check_place(view.kth(rank), std::next(entries.begin(), static_cast<std::ptrdiff_t>(rank)));
    }

    template <class Place> Place before(Place place) const {
        return place == entries.begin() ? entries.end() : std::prev(place);
    }

    template <class View>
    void compare_range(const View& view, const owned& low, const owned& high, int low_kind, int high_kind) const {
        const auto [sums_wanted, count_wanted] = sum_where([&](const owned& key) {
            const bool above = low_kind == 2 || low < key || (low_kind == 1 && same_key(low, key));
            const bool below = high_kind == 2 || key < high || (high_kind == 1 && same_key(high, key));
            return above && below;
        });
        const auto check = [&, &wanted = sums_wanted, &count = count_wanted](const auto& from, const auto& until) {
            tg::overflow_flag flag;
            CHECK(view.range_sum(flag, from, until) == wanted);
            CHECK(view.count(from, until) == count);
            CHECK(!flag.set);
        };
        const auto bounded = [](bool inside) {
            return [inside](const auto&... fields) {
                return tg::bound<std::remove_cvref_t<decltype(fields)>...>{{fields...}, inside};
            };
        };
        const auto from = with_fields(low, bounded(low_kind == 1));
        const auto until = with_fields(high, bounded(high_kind == 1));
        low_kind == 2 ? (high_kind == 2 ? check(tg::unbounded, tg::unbounded) : check(tg::unbounded, until))
                      : (high_kind == 2 ? check(from, tg::unbounded) : check(from, until));
    }

    template <class View> void compare_crossing(const View& view, std::int64_t threshold) const {
        check_crossing<0>(view, threshold, std::greater<>{}, [](const entry& each) { return each.whole; });
        check_crossing<0>(view, threshold, std::greater_equal<>{}, [](const entry& each) { return each.whole; });
        check_crossing<1>(view, tg::int128{threshold} << 88, std::greater_equal<>{},
                          [](const entry& each) { return each.wide; });
        check_crossing<2>(view, static_cast<double>(threshold) * 16, std::greater<>{},
                          [](const entry& each) { return each.floating; });
    }

    template <std::size_t Slot, class View, class Threshold, class Compare, class Read>
    void check_crossing(const View& view, Threshold threshold, Compare compare, Read read) const {
        tg::overflow_flag flag;
        check_way<Slot>(view.template find_prefix<Slot>(flag, threshold, compare), entries.begin(), entries.end(),
                        threshold, compare, read);
        check_way<Slot>(view.template find_suffix<Slot>(flag, threshold, compare), entries.rbegin(), entries.rend(),
                        threshold, compare, read);
        CHECK(!flag.set);
    }

    template <std::size_t Slot, class Crossing, class Place, class Threshold, class Compare, class Read>
    static void check_way(const Crossing& found, Place from, Place end, Threshold threshold, Compare compare,
                          Read read) {
        decltype(read(entry{})) running{};
        std::uint32_t count = 0;
        for (; from != end; ++from, ++count) {
            const auto before = running;
            running += read(from->second);
            if (compare(running, threshold)) {
                check_same(found.at, from->first, from->second);
                CHECK(std::get<Slot>(found.before) == before);
                CHECK(found.count_before == count);
                return;
            }
        }
        CHECK(!found.at);
    }
};
