// The least or the greatest value of every group, for MIN and MAX: values come and go, and only a new end is news.
//
//     tg::group_ends<tg::first_end, tg::ordered_key<std::int32_t>, tg::ordered_key<tg::text>> cheapest;
//     cheapest.insert(flag, 7, "pen", leave, enter);   // enter("pen") if it is the first of group 7 now; before it,
//                                                      // leave(old) for the one that was
//
// A value is in its group once; who calls knows how often it really occurs.
#pragma once

#include "grouped_ordered_index.hpp"

namespace tg {

struct first_end {
    template <class Index> static auto of(const Index& index) { return index.first(); }
};
struct last_end {
    template <class Index> static auto of(const Index& index) { return index.last(); }
};

template <class End, class Group, class Value> class group_ends {
    using index_type = grouped_ordered_index<Group, Value, ordered_slots<>>;

public:
    using group_type = typename index_type::group_type;
    using value_type = typename index_type::key_type;

    template <class Leave, class Enter>
    void insert(overflow_flag& flag, const group_type& group, const value_type& value, Leave&& leave, Enter&& enter) {
        const auto before = End::of(m_index.group(group));
        if (!before) {
            m_index.insert(flag, group, value, {});
            enter(value);
            return;
        }
        // The old end is read anew behind the insertion, which may have moved it; a string lives in the index.
        m_index.insert(flag, group, value, {});
        const auto now = End::of(m_index.group(group));
        if (same(now.key(), value)) {
            leave(neighbour(now).key());
            enter(value);
        }
    }

    template <class Leave, class Enter>
    void erase(overflow_flag& flag, const group_type& group, const value_type& value, Leave&& leave, Enter&& enter) {
        const auto before = End::of(m_index.group(group));
        const bool was_end = before && same(before.key(), value);
        m_index.erase(flag, group, value);
        if (!was_end) {
            return;
        }
        leave(value);
        if (const auto now = End::of(m_index.group(group))) {
            enter(now.key());
        }
    }

    std::size_t bytes() const { return m_index.bytes(); }

private:
    // As keys are equal: NaN, too, is the same as itself.
    template <class T> static bool same(const T& left, const T& right) {
        return left == right || (left != left && right != right);
    }

    template <class Position> static Position neighbour(const Position& end) {
        if constexpr (std::is_same_v<End, first_end>) {
            return end.next();
        } else {
            return end.prev();
        }
    }

    index_type m_index;
};

} // namespace tg
