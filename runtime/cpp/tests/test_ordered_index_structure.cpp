// What holds inside the tree after every change, and how many nodes an operation looks at as the tree grows.
#include "check.hpp"
#include "ordered_model.hpp"

using namespace tg::detail;

template <class Tuning>
using trees_of = ordered_trees<tg::ordered_key<std::int64_t>, tg::ordered_slots<std::int64_t, tg::int128>, Tuning>;

struct summary {
    std::uint32_t size = 0;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    tg::int128 whole = 0;
    tg::uint128 wide = 0; // wraps, as the sums of 128-bit slots do
};

template <class Tuning> class inspector {
public:
    explicit inspector(const trees_of<Tuning>& trees) : m_nodes(trees.all_nodes()) {}

    void inspect(const typename trees_of<Tuning>::tree& tree) {
        if (tree.root == tg::nil) {
            CHECK(tree.size == 0 && m_nodes.leaves() == 0 && m_nodes.inner_nodes() == 0);
            return;
        }
        const summary all = walk(tree.level, tree.root, true);
        CHECK(all.size == tree.size);
        CHECK(m_leaves == m_nodes.leaves() && m_inner == m_nodes.inner_nodes()); // nothing is lost
        CHECK(m_nodes.leaf_at(tree.level, m_last).head->next == tg::nil);
    }

private:
    summary walk(std::uint32_t level, std::uint32_t id, bool root) {
        return level > wide_leaf ? walk_inner(level, id, root) : walk_leaf(level, id, root);
    }

    summary walk_leaf(std::uint32_t level, std::uint32_t id, bool root) {
        const auto leaf = m_nodes.leaf_at(level, id);
        CHECK(leaf.count() >= (root ? 1 : least_filled(Tuning::leaf)) && leaf.count() <= leaf.capacity);
        CHECK(leaf.head->prev == m_last);
        CHECK(m_last == tg::nil || m_nodes.leaf_at(level, m_last).head->next == id);
        m_last = id;
        ++m_leaves;
        summary result{leaf.count(), leaf.keys[0].first, leaf.keys[leaf.count() - 1].first, 0, 0};
        for (std::uint32_t i = 0; i < leaf.count(); ++i) {
            CHECK(i == 0 || leaf.keys[i - 1].first < leaf.keys[i].first);
            result.whole += at<0>(leaf.payloads[i]);
            result.wide += static_cast<tg::uint128>(at<1>(leaf.payloads[i]));
        }
        return result;
    }

    summary walk_inner(std::uint32_t level, std::uint32_t id, bool root) {
        const auto& node = m_nodes.inner_at(id);
        CHECK(node.filled >= (root ? 2 : least_filled(Tuning::inner)) && node.filled <= Tuning::inner);
        ++m_inner;
        summary result;
        for (std::uint32_t i = 0; i < node.filled; ++i) {
            const summary child = walk(level - 1, node.children[i], false);
            CHECK(i == 0 || result.highest < child.lowest);
            CHECK(node.keys[i].first == child.lowest);
            CHECK(node.sizes[i] == child.size);
            CHECK(at<0>(node.totals[i]) == child.whole &&
                  static_cast<tg::uint128>(at<1>(node.totals[i])) == child.wide);
            result.lowest = i == 0 ? child.lowest : result.lowest;
            result.highest = child.highest;
            result.size += child.size;
            result.whole += child.whole;
            result.wide += child.wide;
        }
        return result;
    }

    const typename trees_of<Tuning>::nodes& m_nodes;
    std::uint32_t m_last = tg::nil;
    std::size_t m_leaves = 0;
    std::size_t m_inner = 0;
};

template <class Tuning> static void churn(std::uint64_t seed, int steps, std::uint64_t keys, int between) {
    random_source random(seed);
    trees_of<Tuning> trees;
    typename trees_of<Tuning>::tree tree;
    tg::overflow_flag flag;
    for (int step = 0; step < steps; ++step) {
        const auto key = static_cast<std::int64_t>(random.below(keys));
        const auto value = static_cast<std::int64_t>(random.next()); // whole words: slots wrap, sums must follow
        const bool shrinking = step / (steps / 4) % 2 == 1;
        if (random.below(10) < (shrinking ? 8u : 2u)) {
            trees.erase(flag, tree, key);
        } else {
            trees.insert(flag, tree, key, {value, tg::int128{value} << 63}, 0, trees_of<Tuning>::present::add);
        }
        if (step % between == 0) {
            inspector<Tuning>(trees).inspect(tree);
        }
    }
    inspector<Tuning>(trees).inspect(tree);
}

CASE(small_nodes_keep_their_promises) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        churn<small_nodes>(seed, 4000, 120, 1);
        churn<small_nodes>(seed + 10, 12000, 2000, 50);
    }
}

CASE(nodes_of_full_size_keep_their_promises) {
    churn<tg::ordered_tuning>(21, 60000, 12000, 1500);
    churn<tg::ordered_tuning>(22, 60000, 300, 100);
}

CASE(keys_in_order_leave_full_nodes) {
    for (const bool up : {true, false}) {
        tg::ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_slots<>> index;
        tg::overflow_flag flag;
        for (std::int64_t i = 0; i < 20'000; ++i) {
            index.insert(flag, up ? i : -i, {});
        }
        CHECK(index.stats().leaves * tg::ordered_tuning::leaf * 7 / 10 < 20'000);
    }
}

// --- cost -----------------------------------------------------------------------------------------------------------

struct counted_nodes : tg::ordered_tuning {
    static inline std::size_t visits = 0;
    static void visit() { ++visits; }
};
using counted_index = tg::ordered_index<tg::ordered_key<std::int64_t>, tg::ordered_slots<std::int64_t>, counted_nodes>;

// The most nodes that one call looks at, over many calls.
template <class Operation> static std::size_t worst(std::int64_t keys, Operation&& operation) {
    random_source random(5);
    std::size_t most = 0;
    for (int i = 0; i < 300; ++i) {
        counted_nodes::visits = 0;
        operation(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(keys))));
        most = std::max(most, counted_nodes::visits);
    }
    return most;
}

struct costs {
    std::size_t height;
    std::size_t point;  // find, add, first, last, kth, lower_bound
    std::size_t range;  // range sums, counts, crossings
    std::size_t change; // an insert and its erase
};

static costs measure(std::int64_t keys) {
    counted_index index;
    tg::overflow_flag flag;
    for (std::int64_t i = 0; i < keys; ++i) {
        index.insert(flag, i * 7919 % keys * 2, {1}); // 7919 is prime, so all even keys in some order
    }
    costs result{};
    result.height = index.height();
    result.point =
        std::max({worst(keys, [&](std::int64_t key) { index.find(key * 2); }),
                  worst(keys, [&](std::int64_t key) { index.add(flag, key * 2, {1}); }),
                  worst(keys, [&](std::int64_t) { index.first(); }), worst(keys, [&](std::int64_t) { index.last(); }),
                  worst(keys, [&](std::int64_t key) { index.kth(static_cast<std::size_t>(key)); }),
                  worst(keys, [&](std::int64_t key) { index.lower_bound(key); })});
    result.range = std::max(
        {worst(keys, [&](std::int64_t key) { index.range_sum(flag, tg::inclusive(key / 2), tg::inclusive(key * 2)); }),
         worst(keys, [&](std::int64_t key) { index.count(tg::inclusive(key / 2), tg::exclusive(key * 2)); }),
         worst(keys, [&](std::int64_t key) { index.find_prefix<0>(flag, key, std::greater<>{}); }),
         worst(keys, [&](std::int64_t key) { index.find_suffix<0>(flag, key, std::greater<>{}); })});
    result.change = worst(keys, [&](std::int64_t key) {
        index.insert(flag, key * 2 + 1, {1});
        index.erase(flag, key * 2 + 1);
    });
    return result;
}

CASE(cost_grows_with_the_height_only) {
    for (std::int64_t keys = 1000; keys <= 256'000; keys *= 2) {
        const costs cost = measure(keys);
        std::size_t most_height = 1; // nodes below the root are filled to a quarter at least
        for (std::int64_t reached = counted_nodes::leaf / 4 * 2; reached <= keys; reached *= counted_nodes::inner / 4) {
            ++most_height;
        }
        CHECK(cost.height <= most_height);
        CHECK(cost.point <= 2 * cost.height);
        CHECK(cost.range <= 2 * cost.height);
        CHECK(cost.change <= 16 * cost.height);
    }
}

CASE(doubling_the_entries_adds_at_most_one_level) {
    costs before = measure(2000);
    for (std::int64_t keys = 4000; keys <= 256'000; keys *= 2) {
        const costs now = measure(keys);
        CHECK(now.height <= before.height + 1);
        CHECK(now.point <= before.point + 2);
        CHECK(now.range <= before.range + 2);
        CHECK(now.change <= before.change + 16);
        before = now;
    }
}
