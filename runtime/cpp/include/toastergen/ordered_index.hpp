// Ordered aggregate index: entries (key, payload, record id) in the order of their keys, with sums over any range.
//
//     using by_price = tg::ordered_index<tg::ordered_key<double>, tg::ordered_slots<std::int64_t, tg::compensated>>;
//     index.insert(flag, 10.5, {3, 31.5}, record);                       // volume, price * volume
//     index.range_sum(flag, tg::exclusive(10.0), tg::unbounded);         // both sums over price > 10
//     index.find_suffix<0>(flag, 100, std::greater_equal<>{}).at.key();  // the price at which 100 units are on offer
//
// It is what turns these into O(log n): thresholds on a column (range sums), thresholds on a maintained aggregate (an
// index keyed by the aggregate), thresholds on a running aggregate (descent by running sum), MIN, MAX and the k-th.
//
// Laws
//   - Keys are unique; callers merge what is equal (`insert_or_add`). Keys of several fields compare field by field,
//   and
//     bounds may name leading fields only.
//   - Doubles in keys are normalised: one zero, one NaN, and NaN after infinity. Strings are ordered by their bytes.
//   - Exact sums are exact: the sum over a range equals the sum over its entries one by one. 64-bit slots are summed in
//     128 bits and callers narrow the answer, so only what does not fit is an overflow. 128-bit slots note overflow in
//     the flag, conservatively: a partial sum that does not fit is noted even if the whole would.
//   - Floating sums are compensated in every subtree: they agree with a scan up to rounding, not to the bit, and values
//     that leave take their share with them. Infinities and NaN leave no trace either once their entry is erased.
//   - A running sum is monotone while `negatives<Slot>()` is 0. Otherwise `find_prefix` and its like mean nothing and
//   the
//     caller scans (`first`, `next`).
//   - An operation that fails (out of memory, index full) leaves the index as it was; `erase` and questions never fail.
//   - Overflow is noted and wraps, as everywhere (value.hpp), and taking the change back takes it back in all sums.
//
// Limits: 2^32 - 1 entries. Nodes are named by 32-bit ids in chunked pools and hold no pointers. Positions and views of
// strings are valid until the index changes. One writer at a time; readers only between changes.
#pragma once

#include "ordered_queries.hpp"

namespace tg {

template <class Key, class Slots, class Tuning = ordered_tuning>
class ordered_index
    : public ordered_queries<ordered_index<Key, Slots, Tuning>, detail::ordered_trees<Key, Slots, Tuning>> {
    using trees_type = detail::ordered_trees<Key, Slots, Tuning>;
    using queries = ordered_queries<ordered_index, trees_type>;
    friend queries;

public:
    using typename queries::key_type;
    using typename queries::payload_type;
    using change_type = typename trees_type::changes;

    // False, and nothing changes, if the key is present.
    bool insert(overflow_flag& flag, const key_type& key, const change_type& payload, std::uint32_t record = nil) {
        return m_trees.insert(flag, m_tree, key, payload, record, trees_type::present::keep);
    }

    // True if the key was new; else its payload has been added to, and its record is the old one.
    bool insert_or_add(overflow_flag& flag, const key_type& key, const change_type& delta, std::uint32_t record = nil) {
        return m_trees.insert(flag, m_tree, key, delta, record, trees_type::present::add);
    }

    // False if the key is absent. An entry stays until it is erased, whatever its payload: callers know when it is due.
    bool add(overflow_flag& flag, const key_type& key, const change_type& delta) {
        return m_trees.add(flag, m_tree, key, delta);
    }

    // False if the key is absent.
    bool erase(overflow_flag& flag, const key_type& key) { return m_trees.erase(flag, m_tree, key); }

    void clear() {
        m_trees.clear();
        m_tree = {};
    }

    std::size_t bytes() const { return m_trees.bytes(); }
    std::size_t height() const { return m_tree.size == 0 ? 0 : 1 + std::max(m_tree.level, detail::wide_leaf) - 2; }
    ordered_stats stats() const {
        const auto& nodes = m_trees.all_nodes();
        return {m_tree.size, 1, nodes.leaves(), nodes.inner_nodes(), bytes()};
    }

private:
    const trees_type& trees() const { return m_trees; }
    const auto& tree() const { return m_tree; }

    trees_type m_trees;
    typename trees_type::tree m_tree;
};

} // namespace tg
