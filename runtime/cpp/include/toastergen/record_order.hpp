// The records of a map in the order of one key, with sums over ranges: the index behind a ranged_map.
//
// An entry per group and key holds the sums of all records that share them, and how many those are. It ends with the
// last of them, so that nothing of a floating sum stays behind.
#pragma once

#include "grouped_ordered_index.hpp"

namespace tg {

// Sums of `Slots` over the order of `Key`, one order for each combination of the `Group` fields.
template <class Group, auto Key, class Slots> struct range {};
template <class... Ranges> struct ranges {};

// A record that holds sums. `any`: is there a record to add up at all?
template <class Record> struct range_total : Record {
    bool any = false;
};

namespace detail {

// A nullable field counts as two: is it there, and what is it.
template <class Value> struct flat {
    using list = std::tuple<Value>;
};
template <class Value> struct flat<nullable<Value>> {
    using list = std::tuple<bool, Value>;
};
template <> struct flat<nullable_text> {
    using list = std::tuple<bool, text>;
};

template <class Value> auto flattened(const Value& value) {
    if constexpr (is_nullable<Value>) {
        return std::tuple(value.present, value.value);
    } else {
        return std::tuple<Value>(value);
    }
}

template <class List> struct key_of_list;
template <class... Values> struct key_of_list<std::tuple<Values...>> {
    using type = ordered_key<Values...>;
};

// The index, with or without groups.
template <class GroupList, class Key, class Slots> struct order_storage {
    using type = grouped_ordered_index<typename key_of_list<GroupList>::type, Key, Slots>;
};
template <class Key, class Slots> struct order_storage<std::tuple<>, Key, Slots> {
    using type = ordered_index<Key, Slots>;
};

// Merged entries add up many records: 64 bits would overflow where no record does.
template <class Slot, bool Merged>
using entry_slot = std::conditional_t<Merged && std::is_same_v<Slot, std::int64_t>, int128, Slot>;

// What has been added, modulo 2^n: the index follows a slot that wrapped, and back.
inline std::int64_t change_between(std::int64_t before, std::int64_t after) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(after) - static_cast<std::uint64_t>(before));
}
inline int128 change_between(int128 before, int128 after) {
    return static_cast<int128>(static_cast<uint128>(after) - static_cast<uint128>(before));
}
inline double_word change_between(const compensated& before, const compensated& after) {
    return after.words() + -before.words();
}

inline void take_sum(overflow_flag& flag, std::int64_t& slot, int128 sum) {
    slot = narrow<std::int64_t>(flag, sum);
}
inline void take_sum(overflow_flag&, int128& slot, int128 sum) {
    slot = sum;
}
inline void take_sum(overflow_flag&, compensated& slot, const compensated& sum) {
    slot = sum;
}

// NULL and NaN: no comparison ever holds for them.
template <class Value> bool is_incomparable(const Value& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(plain(value))>, double>) {
        return is_null(value) || plain(value) != plain(value);
    } else {
        return is_null(value);
    }
}

template <class Record, std::size_t KeyCount, class Range> class record_order;

template <class Record, std::size_t KeyCount, auto... Group, auto Key, auto... Slots>
class record_order<Record, KeyCount, range<fields<Group...>, Key, fields<Slots...>>> {
    static constexpr bool grouped = sizeof...(Group) != 0;
    static constexpr bool merged = sizeof...(Group) + 1 < KeyCount;
    using key_list = typename flat<member_value<Key>>::list;
    using key = ordered_key<std::tuple_element_t<std::tuple_size_v<key_list> - 1, key_list>>;
    using group_list = decltype(std::tuple_cat(std::declval<typename flat<member_value<Group>>::list>()...));
    using slots = ordered_slots<std::int64_t, entry_slot<member_value<Slots>, merged>...>;
    using index_type = typename order_storage<group_list, key, slots>::type;

public:
    // A record changed from `before` to `after`, of which only the payloads are read; `was` and `is`: does it count?
    // `read` gives its keys. A record that no comparison holds for is left out.
    template <class Read>
    void follow(overflow_flag& flag, const Record& before, bool was, const Record& after, bool is, Read&& read) {
        const auto at = read.template operator()<Key>();
        if (is_incomparable(at)) {
            return;
        }
        const typename index_type::change_type change{static_cast<std::int64_t>(is) - static_cast<std::int64_t>(was),
                                                      change_between(before.*Slots, after.*Slots)...};
        if constexpr (grouped) {
            m_index.insert_or_add(flag, group_of(read.template operator()<Group>()...), known(at), change);
        } else {
            m_index.insert_or_add(flag, known(at), change);
        }
    }

    // A record is about to go: its entry goes with it if it was the last.
    template <class Read> void leave(overflow_flag& flag, Read&& read) {
        const auto at = read.template operator()<Key>();
        if (is_incomparable(at)) {
            return;
        }
        if constexpr (grouped) {
            const auto group = group_of(read.template operator()<Group>()...);
            if (is_over(m_index.group(group), known(at))) {
                m_index.erase(flag, group, known(at));
            }
        } else if (is_over(m_index, known(at))) {
            m_index.erase(flag, known(at));
        }
    }

    template <class Low, class High>
    range_total<Record> sum(overflow_flag& flag, const Low& low, const High& high,
                            const field_param<Group>&... group) const {
        if constexpr (grouped) {
            return total(flag, m_index.group(group_of(group...)).range_sums(flag, low, high));
        } else {
            return total(flag, m_index.range_sums(flag, low, high));
        }
    }

    // The same for every group that has any; the record has its key fields, which hold no strings.
    template <class Low, class High, class Visit>
    void each_sum(overflow_flag& flag, const Low& low, const High& high, Visit&& visit) const {
        m_index.for_each_group([&](const auto& group, const auto& order) {
            range_total<Record> result = total(flag, order.range_sums(flag, low, high));
            if (result.any) {
                set_group<0, Group...>(result, group);
                visit(static_cast<const range_total<Record>&>(result));
            }
        });
    }

    std::size_t bytes() const { return m_index.bytes(); }
    void clear() { m_index.clear(); }

private:
    static auto group_of(const field_param<Group>&... values) {
        const auto list = std::tuple_cat(flattened(values)...);
        if constexpr (std::tuple_size_v<decltype(list)> == 1) {
            return std::get<0>(list);
        } else {
            return list;
        }
    }

    template <std::size_t Place, auto First, auto... Rest, class Values>
    static void set_group(Record& record, const Values& values) {
        if constexpr (is_nullable<member_value<First>>) {
            record.*First = {place<Place + 1>(values), place<Place>(values)};
        } else {
            record.*First = place<Place>(values);
        }
        if constexpr (sizeof...(Rest) != 0) {
            set_group<Place + (is_nullable<member_value<First>> ? 2 : 1), Rest...>(record, values);
        }
    }
    // A single field comes as itself, several as a tuple.
    template <std::size_t Place, class Values> static const auto& place(const Values& values) {
        if constexpr (std::tuple_size_v<group_list> == 1) {
            return values;
        } else {
            return std::get<Place>(values);
        }
    }

    template <class Order, class At> static bool is_over(const Order& order, const At& at) {
        const auto entry = order.find(at);
        return entry && std::get<0>(entry.payload()) == 0;
    }

    template <class Sums> static range_total<Record> total(overflow_flag& flag, const Sums& sums) {
        range_total<Record> result;
        result.any = detail::at<0>(sums) != 0;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (take_sum(flag, result.*Slots, detail::at<I + 1>(sums)), ...);
        }(std::make_index_sequence<sizeof...(Slots)>{});
        return result;
    }

    index_type m_index;
};

} // namespace detail

} // namespace tg
