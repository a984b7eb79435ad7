// A keyed_map that can also be asked for sums over ranges of one of its keys, within a group of others or over all.
//
//     using bids = tg::ranged_map<rec, tg::fields<&rec::broker, &rec::price>, tg::slices<>,
//                                 tg::ranges<tg::range<tg::fields<&rec::broker>, &rec::price,
//                                 tg::fields<&rec::volume>>>>;
//     const auto dear = map.sum<0>(flag, tg::from_where{[&](double price) { return price > 10; }}, tg::unbounded, 7);
//     dear.volume;                            // of broker 7, where price > 10
//
// Every range has an index of its own (record_order.hpp) that follows each change of a record: a path more per update,
// and a path instead of a scan per question.
#pragma once

#include "keyed_map.hpp"
#include "record_order.hpp"

namespace tg {

template <class Record, class Key, class Slices, class Ranges, class Hash = field_hash> class ranged_map;

template <class Record, auto... Keys, class Slices, class... Ranges, class Hash>
class ranged_map<Record, fields<Keys...>, Slices, ranges<Ranges...>, Hash>
    : public keyed_map<Record, fields<Keys...>, Slices, Hash> {
    using base = keyed_map<Record, fields<Keys...>, Slices, Hash>;
    template <auto Member> using param = detail::field_param<Member>;

public:
    // As in keyed_map; the flag is for sums that leave their type.
    template <class Change> void update(overflow_flag& flag, Change&& change, param<Keys>... keys) {
        base::update(
            [&](Record& record) {
                const Record before = record;
                change(record);
                const bool was = !before.vacant();
                if (record.vacant()) { // what is left of it goes with it
                    follow(flag, record, before, was, Record{}, false);
                    leave(flag, record);
                } else {
                    follow(flag, record, before, was, record, true);
                }
            },
            keys...);
    }

    // A vacant record keeps its share in the sums until `sweep`: it may come back.
    template <class Change> void update_deferred(overflow_flag& flag, Change&& change, param<Keys>... keys) {
        base::update_deferred(
            [&](Record& record) {
                const Record before = record;
                change(record);
                follow(flag, record, before, !before.vacant(), record, !record.vacant());
            },
            keys...);
    }

    void sweep(overflow_flag& flag) {
        base::sweep_after([&](const Record& record) {
            follow(flag, record, record, false, Record{}, false);
            leave(flag, record);
        });
    }

    // The sums over the records of a group whose key lies inside; all other fields of the answer mean nothing.
    template <std::size_t I, class Low, class High, class... Group>
    range_total<Record> sum(overflow_flag& flag, const Low& low, const High& high, const Group&... group) const {
        return std::get<I>(m_orders).sum(flag, low, high, group...);
    }

    // Calls `visit` with the sums of every group that has any. `visit` must not change this map.
    template <std::size_t I, class Low, class High, class Visit>
    void each_sum(overflow_flag& flag, const Low& low, const High& high, Visit&& visit) const {
        std::get<I>(m_orders).each_sum(flag, low, high, visit);
    }

    void clear() {
        base::clear();
        std::apply([](auto&... order) { (order.clear(), ...); }, m_orders);
    }

    std::size_t bytes() const {
        return base::bytes() +
               std::apply([](const auto&... order) { return (std::size_t{0} + ... + order.bytes()); }, m_orders);
    }

    map_stats stats() const {
        map_stats result = base::stats();
        result.bytes = bytes();
        return result;
    }

private:
    auto reader(const Record& record) const {
        return [this, &record]<auto Member>() { return base::template read<Member>(record); };
    }

    void follow(overflow_flag& flag, const Record& record, const Record& before, bool was, const Record& after,
                bool is) {
        std::apply([&](auto&... order) { (order.follow(flag, before, was, after, is, reader(record)), ...); },
                   m_orders);
    }

    void leave(overflow_flag& flag, const Record& record) {
        std::apply([&](auto&... order) { (order.leave(flag, reader(record)), ...); }, m_orders);
    }

    std::tuple<detail::record_order<Record, sizeof...(Keys), Ranges>...> m_orders;
};

} // namespace tg
