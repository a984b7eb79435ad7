// Frames of windows: which rows [begin, end) of a partition a row sees. From one row to the next neither end moves
// back.
#pragma once

#include "window_order.hpp"

#include <algorithm>
#include <vector>

namespace tg {

// --- ends of frames -------------------------------------------------------------------------------------------------

struct partition_edge {};
struct current_peers {}; // CURRENT ROW of a RANGE frame: all rows that are equal in their order
template <std::int64_t Steps> struct row_offset {}; // ROWS: below zero before the current row

// RANGE: rows whose key is up to `Offset` before the key of the current row, or behind it.
template <class Offset> struct range_before {};
template <class Offset> struct range_behind {};
template <std::int64_t Units> struct exact_offset {
    static constexpr int128 value = Units;
};
template <std::uint64_t Bits> struct double_offset {
    static constexpr double value = std::bit_cast<double>(Bits);
};

namespace detail {

constexpr std::size_t moved(std::size_t place, std::int64_t steps, std::size_t size) {
    if (steps < 0) {
        const auto back = std::uint64_t{0} - static_cast<std::uint64_t>(steps);
        return place > back ? place - back : 0;
    }
    return static_cast<std::uint64_t>(steps) > size - place ? size : place + static_cast<std::size_t>(steps);
}

constexpr double target(double key, double offset, bool down) {
    return down ? key - offset : key + offset;
}
template <class T> constexpr int128 target(T key, int128 offset, bool down) {
    int128 result = 0;
    if (__builtin_add_overflow(static_cast<int128>(key), down ? -offset : offset, &result)) {
        return down ? int128_min : int128_max; // beyond every key
    }
    return result;
}

// Where a RANGE frame over `Key` starts or ends: behind all rows that stand before the target, or at it as well.
template <class Key, class Rows, bool AtEnd> class range_cursor {
public:
    explicit range_cursor(const Rows& rows) : m_rows(rows) {}

    template <class Offset> std::size_t at(std::size_t i, bool before) {
        const auto goal = target(plain(m_rows[i].row.*Key::member), Offset::value, before != Key::descending);
        const auto passed = [&](const auto& entry) {
            const auto& key = entry.row.*Key::member;
            if (!is_present(key)) {
                return Key::nulls_first;
            }
            const int order = three_way(static_cast<decltype(goal)>(plain(key)), goal);
            const int placed = Key::descending ? -order : order;
            return placed < 0 || (AtEnd && placed == 0);
        };
        if (!m_started) {
            const auto found = std::partition_point(m_rows.begin(), m_rows.end(), passed);
            m_place = static_cast<std::size_t>(found - m_rows.begin());
            m_started = true;
        }
        while (m_place < m_rows.size() && passed(m_rows[m_place])) {
            ++m_place;
        }
        return m_place;
    }

private:
    const Rows& m_rows;
    std::size_t m_place = 0;
    bool m_started = false;
};

template <class Order, class Rows> std::size_t first_peer(const Rows& rows, std::size_t changed) {
    if (changed == 0) {
        return 0;
    }
    peer_cursor<Order, Rows> peers(rows);
    peers.at(changed - 1);
    return peers.begin();
}

} // namespace detail

// --- frames ---------------------------------------------------------------------------------------------------------

template <class Start, class End> struct rows_frame {
    static constexpr bool from_start = std::is_same_v<Start, partition_edge>;
    static constexpr bool to_end = std::is_same_v<End, partition_edge>;

    // The first row whose frame can differ when rows from `changed` on are not what they were.
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) {
        return affected(End{}, changed);
    }

    template <class Rows> class cursor {
    public:
        explicit cursor(const Rows& rows) : m_size(rows.size()) {}

        void at(std::size_t i) {
            begin = start(Start{}, i);
            end = std::max(begin, stop(End{}, i));
        }

        std::size_t begin = 0;
        std::size_t end = 0;

    private:
        std::size_t start(partition_edge, std::size_t) const { return 0; }
        template <std::int64_t Steps> std::size_t start(row_offset<Steps>, std::size_t i) const {
            return detail::moved(i, Steps, m_size);
        }
        std::size_t stop(partition_edge, std::size_t) const { return m_size; }
        template <std::int64_t Steps> std::size_t stop(row_offset<Steps>, std::size_t i) const {
            return detail::moved(i + 1, Steps, m_size);
        }

        std::size_t m_size;
    };

private:
    static std::size_t affected(partition_edge, std::size_t) { return 0; }
    template <std::int64_t Steps> static std::size_t affected(row_offset<Steps>, std::size_t changed) {
        return Steps > 0 ? detail::moved(changed, -Steps, changed) : changed;
    }
};

// `Key` is the one key of the order where an end is an offset.
template <class Order, class Key, class Start, class End> struct range_frame {
    static constexpr bool from_start = std::is_same_v<Start, partition_edge>;
    static constexpr bool to_end = std::is_same_v<End, partition_edge>;

    template <class Rows> static std::size_t first_affected(const Rows& rows, std::size_t changed) {
        return affected(End{}, rows, changed);
    }

    template <class Rows> class cursor {
    public:
        explicit cursor(const Rows& rows) : m_rows(rows), m_peers(rows), m_start(rows), m_stop(rows) {}

        void at(std::size_t i) {
            m_peers.at(i);
            begin = place(Start{}, i, m_start, m_peers.begin(), 0);
            end = std::max(begin, place(End{}, i, m_stop, m_peers.end(), m_rows.size()));
        }

        std::size_t begin = 0;
        std::size_t end = 0;

    private:
        template <class Cursor>
        std::size_t place(partition_edge, std::size_t, Cursor&, std::size_t, std::size_t edge) const {
            return edge;
        }
        template <class Cursor>
        std::size_t place(current_peers, std::size_t, Cursor&, std::size_t peer, std::size_t) const {
            return peer;
        }
        template <class Offset, class Cursor>
        std::size_t place(range_before<Offset>, std::size_t i, Cursor& edge_of, std::size_t peer, std::size_t) const {
            return known(i) ? edge_of.template at<Offset>(i, true) : peer;
        }
        template <class Offset, class Cursor>
        std::size_t place(range_behind<Offset>, std::size_t i, Cursor& edge_of, std::size_t peer, std::size_t) const {
            return known(i) ? edge_of.template at<Offset>(i, false) : peer;
        }

        // From NULL no offset leads anywhere: it sees its peers.
        bool known(std::size_t i) const { return detail::is_present(m_rows[i].row.*Key::member); }

        const Rows& m_rows;
        peer_cursor<Order, Rows> m_peers;
        detail::range_cursor<Key, Rows, false> m_start;
        detail::range_cursor<Key, Rows, true> m_stop;
    };

private:
    template <class Rows> static std::size_t affected(partition_edge, const Rows&, std::size_t) { return 0; }
    template <class Offset, class Rows> static std::size_t affected(range_behind<Offset>, const Rows&, std::size_t) {
        return 0;
    }
    template <class End_, class Rows> static std::size_t affected(End_, const Rows& rows, std::size_t changed) {
        return detail::first_peer<Order>(rows, changed);
    }
};

// GROUPS counts runs of rows that are equal in their order.
template <class Order, class Start, class End> struct groups_frame {
    static constexpr bool from_start = std::is_same_v<Start, partition_edge>;
    static constexpr bool to_end = std::is_same_v<End, partition_edge>;

    template <class Rows> static std::size_t first_affected(const Rows& rows, std::size_t changed) {
        return affected(End{}, rows, changed);
    }

    template <class Rows> class cursor {
    public:
        explicit cursor(const Rows& rows) : m_size(rows.size()) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (i == 0 || Order::compare(rows[i - 1].row, rows[i].row) != 0) {
                    m_starts.push_back(i);
                }
            }
        }

        void at(std::size_t i) {
            const auto found = std::upper_bound(m_starts.begin(), m_starts.end(), i);
            const auto behind = static_cast<std::size_t>(found - m_starts.begin()); // the group after that of the row
            begin = place(Start{}, behind - 1, 0);
            end = std::max(begin, place(End{}, behind, m_size));
        }

        std::size_t begin = 0;
        std::size_t end = 0;

    private:
        std::size_t place(partition_edge, std::size_t, std::size_t edge) const { return edge; }
        template <std::int64_t Steps> std::size_t place(row_offset<Steps>, std::size_t group, std::size_t) const {
            const std::size_t found = detail::moved(group, Steps, m_starts.size());
            return found < m_starts.size() ? m_starts[found] : m_size;
        }

        std::size_t m_size;
        std::vector<std::size_t> m_starts;
    };

private:
    template <class Rows> static std::size_t affected(partition_edge, const Rows&, std::size_t) { return 0; }
    template <std::int64_t Steps, class Rows>
    static std::size_t affected(row_offset<Steps>, const Rows& rows, std::size_t changed) {
        return Steps > 0 ? 0 : detail::first_peer<Order>(rows, changed);
    }
};

} // namespace tg
