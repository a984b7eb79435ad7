// Rows of a window: what they own, and the order they stand in.
//
//     using by_price = tg::window_order<tg::order_key<&row::price, true>, tg::order_key<&row::name>>;
//     by_price::compare(left, right) < 0     // dearer first, NULLs last, then by name
#pragma once

#include "fields.hpp"

#include <string>

namespace tg {

// Rows of windows outlive the records they come from, so they own their strings.
template <class T> constexpr T owned(const T& value) {
    return value;
}
inline std::string owned(std::string_view value) {
    return std::string(value);
}
inline nullable<std::string> owned(const nullable<std::string_view>& value) {
    return value.present ? nullable<std::string>(std::string(value.value)) : nullable<std::string>();
}
constexpr double owned(double value) {
    return normalise(value);
}
constexpr nullable<double> owned(const nullable<double>& value) {
    return {normalise(value.value), value.present};
}

// The way back: what events take as parameters.
template <class T> constexpr T lent(const T& value) {
    return value;
}
inline std::string_view lent(const std::string& value) {
    return value;
}
inline nullable<std::string_view> lent(const nullable<std::string>& value) {
    return value.present ? nullable<std::string_view>(value.value) : nullable<std::string_view>();
}

namespace detail {

// NaN equals itself and is greater than every number.
template <class T> constexpr int three_way(const T& left, const T& right) {
    if constexpr (std::is_same_v<T, double>) {
        if (left != left || right != right) {
            return (left != left) - (right != right);
        }
    }
    return left < right ? -1 : right < left ? 1 : 0;
}

} // namespace detail

template <auto Member, bool Descending = false, bool NullsFirst = false> struct order_key {
    static constexpr auto member = Member;
    static constexpr bool descending = Descending;
    static constexpr bool nulls_first = NullsFirst;

    template <class Row> static int compare(const Row& left, const Row& right) {
        const auto& a = left.*Member;
        const auto& b = right.*Member;
        if (!detail::is_present(a) || !detail::is_present(b)) {
            const int order = detail::is_present(a) - detail::is_present(b);
            return NullsFirst ? order : -order;
        }
        const int order = detail::three_way(detail::plain(a), detail::plain(b));
        return Descending ? -order : order;
    }
};

template <class... Keys> struct window_order {
    template <class Row> static int compare([[maybe_unused]] const Row& left, [[maybe_unused]] const Row& right) {
        int order = 0;
        (void)(false || ... || ((order = Keys::compare(left, right)) != 0));
        return order;
    }
};

// Rows that are neighbours in their order and equal in it.
template <class Order, class Rows> class peer_cursor {
public:
    explicit peer_cursor(const Rows& rows) : m_rows(rows) {}

    // Moves to row `i`; from one row to the next it never looks back.
    void at(std::size_t i) {
        if (i >= m_begin && i < m_end) {
            return;
        }
        const bool next = m_end != 0 && i == m_end;
        m_begin = i;
        while (!next && m_begin > 0 && same(m_begin - 1, i)) {
            --m_begin;
        }
        m_end = i + 1;
        while (m_end < m_rows.size() && same(m_end, i)) {
            ++m_end;
        }
    }

    std::size_t begin() const { return m_begin; }
    std::size_t end() const { return m_end; }

private:
    bool same(std::size_t i, std::size_t j) const { return Order::compare(m_rows[i].row, m_rows[j].row) == 0; }

    const Rows& m_rows;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
};

} // namespace tg
