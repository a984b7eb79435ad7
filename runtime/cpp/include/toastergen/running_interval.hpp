// For which values p the sum of the weights of all keys on one side of p passes a test against a threshold.
//
//     tg::running_interval<double, std::int64_t, double, true, false, false> dear;     // keys above p, test falls
//     dear.weigh(flag, 10.5, false, 0, true, 300);
//     dear.threshold(75.0, 1);
//     dear.settle(flag, [](std::int64_t sum, double limit) { return double(sum) < limit; }, leave, enter);
//
// The sum changes only where p passes a key, so the test holds in intervals whose ends are keys, or none at the
// outside. While no weight is negative, the sum only grows with the distance from the side that it begins at: there is
// one interval at most, and one descent along the sums of subtrees finds its end. With negative weights every gap
// between keys is asked; the answer is as right, but takes a scan.
//
// `FromTop`: the keys above p are added up, else those below. `CountsNothing`: of no keys the sum is 0, else there is
// none and the test does not hold. `Rising`: the test comes true as the sum grows, else it ceases to be.
#pragma once

#include "keyed_map.hpp"
#include "ordered_index.hpp"
#include "record_order.hpp"

namespace tg {

template <class Key> struct key_interval {
    nullable<Key> low;
    nullable<Key> high;

    friend bool operator==(const key_interval&, const key_interval&) = default;
};

template <class Key, class Slot, class Threshold, bool FromTop, bool CountsNothing, bool Rising>
class running_interval {
    using index_type = ordered_index<ordered_key<Key>, ordered_slots<Slot>>;
    using position = typename index_type::position;
    using interval = key_interval<Key>;

public:
    using weight_type = std::tuple_element_t<0, typename index_type::payload_type>;

    // The weight of a key changed; `was` and `is`: does it have one at all?
    void weigh(overflow_flag& flag, const Key& key, bool was, const weight_type& before, bool is,
               const weight_type& after) {
        if ((was == is && before == after) || detail::is_incomparable(key)) {
            return;
        }
        m_changed = true;
        if (was) {
            m_index.erase(flag, key);
        }
        if (is) {
            m_index.insert(flag, key, {after});
        }
    }

    // The threshold comes (1) or goes (-1). There is one at most once an event is over.
    void threshold(const Threshold& value, std::int64_t change) {
        if (change == 0) {
            return;
        }
        m_changed = true;
        for (std::size_t i = 0; i < m_thresholds.size(); ++i) {
            if (same(m_thresholds[i].value, value)) {
                m_thresholds[i].times += change;
                if (m_thresholds[i].times == 0) {
                    m_thresholds.erase(m_thresholds.begin() + static_cast<std::ptrdiff_t>(i));
                }
                return;
            }
        }
        m_thresholds.push_back({value, change});
    }

    // Tells which intervals are gone, then which are new.
    template <class Holds, class Leave, class Enter>
    void settle(overflow_flag& flag, Holds&& holds, Leave&& leave, Enter&& enter) {
        if (!m_changed) {
            return;
        }
        m_changed = false;
        m_before.swap(m_now);
        m_now.clear();
        if (m_thresholds.size() == 1) {
            const Threshold limit = m_thresholds.front().value;
            find([&](const auto& sum) { return holds(running(flag, sum), limit); }, flag);
        }
        tell_missing(m_before, m_now, leave);
        tell_missing(m_now, m_before, enter);
    }

    map_stats stats() const {
        return {m_index.size(), m_index.bytes() + (m_now.capacity() + m_before.capacity()) * sizeof(interval), 0, 0, 0};
    }

private:
    struct held_threshold {
        Threshold value;
        std::int64_t times;
    };

    // Sums of 64 bits are kept in 128, and compared in 64.
    static auto running(overflow_flag& flag, const auto& sum) {
        if constexpr (std::is_same_v<Slot, std::int64_t>) {
            return narrow<std::int64_t>(flag, sum);
        } else {
            return sum;
        }
    }

    template <class Test> void find(Test&& test, overflow_flag& flag) {
        using sum_type = decltype(std::get<0>(m_index.total(flag)));
        const bool nothing = CountsNothing && test(std::decay_t<sum_type>{});
        if (m_index.empty()) {
            if (nothing) {
                m_now.push_back({});
            }
        } else if (m_index.template negatives<0>() == 0) {
            find_one(test, nothing, flag);
        } else {
            find_all(test, nothing, flag);
        }
    }

    template <class Passes> auto cross(Passes&& passes, overflow_flag& flag) const {
        if constexpr (FromTop) {
            return m_index.template cross_descending<0>(flag, passes);
        } else {
            return m_index.template cross_ascending<0>(flag, passes);
        }
    }

    template <class Test> void find_one(Test&& test, bool nothing, overflow_flag& flag) {
        if constexpr (Rising) {
            if (nothing) {
                m_now.push_back({});
            } else if (const auto crossing = cross(test, flag); crossing.at) {
                add(crossing.at.key(), {});
            }
        } else {
            const auto crossing = cross([&](const auto& sum) { return !test(sum); }, flag);
            const position nearest = FromTop ? m_index.last() : m_index.first();
            if (!nothing && crossing.at == nearest) {
                return; // fails with the first key already, and before it there is no sum
            }
            const nullable<Key> far = crossing.at ? nullable<Key>{crossing.at.key()} : nullable<Key>{};
            add(nothing ? nullable<Key>{} : nullable<Key>{nearest.key()}, far);
        }
    }

    template <class Test> void find_all(Test&& test, bool nothing, overflow_flag& flag) {
        typename detail::slot_rule<Slot>::sum sum{};
        bool inside = nothing;
        nullable<Key> near;
        for (position at = FromTop ? m_index.last() : m_index.first(); at; at = FromTop ? at.prev() : at.next()) {
            detail::slot_rule<Slot>::merge(flag, sum, weight_at(at));
            const bool holds = test(detail::slot_rule<Slot>::read(sum));
            if (holds && !inside) {
                near = at.key();
            } else if (!holds && inside) {
                add(near, at.key());
            }
            inside = holds;
        }
        if (inside) {
            add(near, {});
        }
        if constexpr (FromTop) {
            std::reverse(m_now.begin(), m_now.end());
        }
    }

    static auto weight_at(const position& at) {
        typename detail::slot_rule<Slot>::sum sum{};
        overflow_flag none;
        detail::slot_rule<Slot>::merge(none, sum, one(std::get<0>(at.payload())));
        return sum;
    }
    static auto one(const weight_type& weight) {
        if constexpr (std::is_same_v<Slot, compensated>) {
            compensated sum;
            sum.add(weight);
            return sum;
        } else {
            return int128{weight};
        }
    }

    // Between the end next to where sums begin and the far one.
    void add(const nullable<Key>& near, const nullable<Key>& far) {
        m_now.push_back(FromTop ? interval{far, near} : interval{near, far});
    }

    // Both lists ascend.
    template <class Tell>
    static void tell_missing(const std::vector<interval>& these, const std::vector<interval>& those, Tell&& tell) {
        std::size_t other = 0;
        for (const interval& each : these) {
            while (other < those.size() && lies_before(those[other], each)) {
                ++other;
            }
            if (other == those.size() || !(those[other] == each)) {
                tell(each.low, each.high);
            }
        }
    }
    static bool lies_before(const interval& left, const interval& right) {
        if (!left.low.present || !right.low.present) {
            return !left.low.present && right.low.present;
        }
        return left.low.value < right.low.value;
    }

    index_type m_index;
    std::vector<held_threshold> m_thresholds;
    std::vector<interval> m_now;
    std::vector<interval> m_before;
    bool m_changed = false;
};

} // namespace tg
