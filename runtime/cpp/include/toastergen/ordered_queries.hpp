// Questions to an ordered tree. None of them changes anything, and none costs more than a few paths from the root.
#pragma once

#include "ordered_tree.hpp"

namespace tg {

namespace detail {

// An entry, or none. Valid until its index is changed.
template <class Trees> class ordered_position {
    using codec = typename Trees::codec;
    using slots = typename Trees::slots;

public:
    ordered_position() = default;
    ordered_position(const Trees* trees, std::uint32_t level, std::uint32_t leaf, std::uint32_t place)
        : m_trees(trees), m_level(level), m_leaf(leaf), m_place(place) {}

    explicit operator bool() const { return m_leaf != nil; }
    friend bool operator==(const ordered_position&, const ordered_position&) = default;

    // A string in a key is read where it is stored.
    typename codec::param key() const { return codec::read(m_trees->strings(), leaf().keys[m_place]); }
    typename slots::values payload() const { return slots::read_entry(leaf().payloads[m_place]); }
    std::uint32_t record() const { return leaf().records[m_place]; }

    // The neighbours in the order of keys; none beyond the ends.
    ordered_position next() const {
        const auto own = leaf();
        if (m_place + 1 < own.count()) {
            return {m_trees, m_level, m_leaf, m_place + 1};
        }
        return own.head->next == nil ? ordered_position{} : ordered_position{m_trees, m_level, own.head->next, 0};
    }
    ordered_position prev() const {
        if (m_place != 0) {
            return {m_trees, m_level, m_leaf, m_place - 1};
        }
        const std::uint32_t before = leaf().head->prev;
        if (before == nil) {
            return {};
        }
        return {m_trees, m_level, before, m_trees->all_nodes().leaf_at(m_level, before).count() - 1};
    }

private:
    auto leaf() const { return m_trees->all_nodes().leaf_at(m_level, m_leaf); }

    const Trees* m_trees = nullptr;
    std::uint32_t m_level = 0;
    std::uint32_t m_leaf = nil;
    std::uint32_t m_place = 0;
};

} // namespace detail

// Everything that can be asked of the entries of one tree. `Self` has `trees()` and `tree()`.
template <class Self, class Trees> class ordered_queries {
    using codec = typename Trees::codec;
    using slots = typename Trees::slots;
    using sums = typename slots::sums;

public:
    using key_type = typename codec::param;
    using payload_type = typename slots::values;
    using totals = typename slots::totals; // int128 for exact slots, double for compensated ones
    using position = detail::ordered_position<Trees>;

    // Where a running sum passes a threshold.
    struct crossing {
        position at;     // none if it never does
        totals before{}; // sums of all slots over the entries before that one, in the direction asked for
        std::uint32_t count_before = 0;
    };

    std::size_t size() const { return tree().size; }
    bool empty() const { return tree().size == 0; }

    // Entries whose slot is below zero, or NaN. Running sums of the slot are monotone while there are none.
    template <std::size_t Slot> std::size_t negatives() const { return tree().negatives[Slot]; }

    position first() const { return kth(0); }
    position last() const { return empty() ? position{} : kth(tree().size - 1); }

    // The entry that `rank` others precede.
    position kth(std::size_t rank) const {
        if (rank >= tree().size) {
            return {};
        }
        auto rest = static_cast<std::uint32_t>(rank);
        std::uint32_t id = tree().root;
        for (std::uint32_t level = tree().level; level > detail::wide_leaf; --level) {
            const auto& node = nodes().inner_at(id);
            std::uint32_t child = 0;
            for (; rest >= node.sizes[child]; ++child) {
                rest -= node.sizes[child];
            }
            id = node.children[child];
        }
        return {&trees(), leaf_level(), id, rest};
    }

    position find(const key_type& key) const {
        if (empty()) {
            return {};
        }
        using key_cut = detail::cut<typename codec::probe>;
        const auto probe = codec::to_probe(codec::as_tuple(key));
        const std::uint32_t id =
            follow(tree().root, tree().level, key_cut{probe, true}, [](const auto&, std::uint32_t) {});
        const auto leaf = leaf_at(id);
        const std::uint32_t place = left_in(leaf, key_cut{probe, false});
        const bool found = place < leaf.count() && codec::equal(trees().strings(), leaf.keys[place], probe);
        return found ? position{&trees(), leaf_level(), id, place} : position{};
    }

    // The first entry inside, and the last.
    template <class Bound> position first_from(const Bound& low) const { return after(detail::low_cut<codec>(low)); }
    template <class Bound> position last_until(const Bound& high) const {
        return before(detail::high_cut<codec>(high));
    }

    // As in the standard library: the first entry not below the key (or its leading fields), the first above it.
    template <class... Fields> position lower_bound(const Fields&... fields) const {
        return first_from(inclusive(fields...));
    }
    template <class... Fields> position upper_bound(const Fields&... fields) const {
        return first_from(exclusive(fields...));
    }

    // How many entries lie below the key (or its leading fields).
    template <class... Fields> std::size_t rank(const Fields&... fields) const {
        return left_of_cut(detail::low_cut<codec>(inclusive(fields...)));
    }

    template <class Low, class High> std::size_t count(const Low& low, const High& high) const {
        const std::uint32_t from = left_of_cut(detail::low_cut<codec>(low));
        const std::uint32_t until = left_of_cut(detail::high_cut<codec>(high));
        return until > from ? until - from : 0;
    }

    totals total(overflow_flag& flag) const { return range_sum(flag, unbounded, unbounded); }

    // The sums of all slots over the entries inside.
    template <class Low, class High> totals range_sum(overflow_flag& flag, const Low& low, const High& high) const {
        return slots::read(range_sums(flag, low, high));
    }
    // The same as they are stored: floating ones in two words.
    template <class Low, class High> sums range_sums(overflow_flag& flag, const Low& low, const High& high) const {
        sums result{};
        if (!empty()) {
            sum_between(flag, result, detail::low_cut<codec>(low), detail::high_cut<codec>(high));
        }
        return result;
    }

    // The first entry, in ascending order of keys, at which `passes(running sum of the slot, entry included)` holds.
    // While the slot has no negative entry, `passes` must not turn false again as its argument grows; with negative
    // entries there may be no such first entry, and the answer means nothing.
    template <std::size_t Slot, class Passes> crossing cross_ascending(overflow_flag& flag, Passes&& passes) const {
        return cross<Slot, true>(flag, passes);
    }
    // The same in descending order: sums run from the largest key down.
    template <std::size_t Slot, class Passes> crossing cross_descending(overflow_flag& flag, Passes&& passes) const {
        return cross<Slot, false>(flag, passes);
    }

    // The smallest key with `compare(running sum from the smallest key on, threshold)`; compare is std::greater<>,
    // std::greater_equal<> or alike.
    template <std::size_t Slot, class Threshold, class Compare>
    crossing find_prefix(overflow_flag& flag, const Threshold& threshold, Compare compare) const {
        return cross_ascending<Slot>(flag, [&](const auto& running) { return compare(running, threshold); });
    }
    // The largest key with `compare(running sum from the largest key down, threshold)`.
    template <std::size_t Slot, class Threshold, class Compare>
    crossing find_suffix(overflow_flag& flag, const Threshold& threshold, Compare compare) const {
        return cross_descending<Slot>(flag, [&](const auto& running) { return compare(running, threshold); });
    }

private:
    const Trees& trees() const { return static_cast<const Self*>(this)->trees(); }
    const auto& tree() const { return static_cast<const Self*>(this)->tree(); }
    const auto& nodes() const { return trees().all_nodes(); }
    std::uint32_t leaf_level() const { return std::min(tree().level, detail::wide_leaf); }
    auto leaf_at(std::uint32_t id) const { return nodes().leaf_at(leaf_level(), id); }

    template <class Cut> std::uint32_t left_in(const auto& node, const Cut& place) const {
        return detail::left_of<codec>(trees().strings(), node.keys, node.count(), place);
    }
    // The child that the cut goes through, or touches.
    template <class Cut> std::uint32_t child_at(const auto& node, const Cut& place) const {
        return std::max(left_in(node, place), 1u) - 1;
    }

    // Follows a cut to its leaf; `pass(node, child)` sees every inner node on the way.
    template <class Cut, class Pass>
    std::uint32_t follow(std::uint32_t id, std::uint32_t level, const Cut& place, Pass&& pass) const {
        for (; level > detail::wide_leaf; --level) {
            const auto& node = nodes().inner_at(id);
            const std::uint32_t child = child_at(node, place);
            pass(node, child);
            id = node.children[child];
        }
        return id;
    }

    template <class Cut> position after(const Cut& place) const {
        if (empty()) {
            return {};
        }
        const std::uint32_t id = follow(tree().root, tree().level, place, [](const auto&, std::uint32_t) {});
        const auto leaf = leaf_at(id);
        const std::uint32_t left = left_in(leaf, place);
        if (left < leaf.count()) {
            return {&trees(), leaf_level(), id, left};
        }
        return leaf.head->next == nil ? position{} : position{&trees(), leaf_level(), leaf.head->next, 0};
    }

    // The leaf that a cut leads to holds the entry before it, if there is one at all.
    template <class Cut> position before(const Cut& place) const {
        if (empty()) {
            return {};
        }
        const std::uint32_t id = follow(tree().root, tree().level, place, [](const auto&, std::uint32_t) {});
        const std::uint32_t left = left_in(leaf_at(id), place);
        return left == 0 ? position{} : position{&trees(), leaf_level(), id, left - 1};
    }

    template <class Cut> std::uint32_t left_of_cut(const Cut& place) const {
        if (empty()) {
            return 0;
        }
        std::uint32_t result = 0;
        const std::uint32_t id = follow(tree().root, tree().level, place, [&](const auto& node, std::uint32_t child) {
            for (std::uint32_t i = 0; i < child; ++i) {
                result += node.sizes[i];
            }
        });
        return result + left_in(leaf_at(id), place);
    }

    template <class Cut>
    void sum_left(overflow_flag& flag, sums& result, std::uint32_t id, std::uint32_t level, const Cut& high) const {
        id = follow(id, level, high, [&](const auto& node, std::uint32_t child) {
            slots::merge_all(flag, result, node.totals, node.totals + child);
        });
        const auto leaf = leaf_at(id);
        slots::merge_all(flag, result, leaf.payloads, leaf.payloads + left_in(leaf, high));
    }

    template <class Cut>
    void sum_right(overflow_flag& flag, sums& result, std::uint32_t id, std::uint32_t level, const Cut& low) const {
        id = follow(id, level, low, [&](const auto& node, std::uint32_t child) {
            slots::merge_all(flag, result, node.totals + child + 1, node.totals + node.filled);
        });
        const auto leaf = leaf_at(id);
        slots::merge_all(flag, result, leaf.payloads + left_in(leaf, low), leaf.payloads + leaf.count());
    }

    // Both cuts follow one path until they part.
    template <class Low, class High>
    void sum_between(overflow_flag& flag, sums& result, const Low& low, const High& high) const {
        std::uint32_t id = tree().root;
        std::uint32_t level = tree().level;
        for (; level > detail::wide_leaf; --level) {
            const auto& node = nodes().inner_at(id);
            const std::uint32_t from = child_at(node, low);
            const std::uint32_t until = child_at(node, high);
            if (from != until) {
                if (from < until) {
                    sum_right(flag, result, node.children[from], level - 1, low);
                    slots::merge_all(flag, result, node.totals + from + 1, node.totals + until);
                    sum_left(flag, result, node.children[until], level - 1, high);
                }
                return;
            }
            id = node.children[from];
        }
        const auto leaf = leaf_at(id);
        const std::uint32_t from = left_in(leaf, low);
        const std::uint32_t until = left_in(leaf, high);
        if (from < until) {
            slots::merge_all(flag, result, leaf.payloads + from, leaf.payloads + until);
        }
    }
    // Open ends need no path.
    template <class High>
    void sum_between(overflow_flag& flag, sums& result, detail::front_cut, const High& high) const {
        sum_left(flag, result, tree().root, tree().level, high);
    }
    template <class Low> void sum_between(overflow_flag& flag, sums& result, const Low& low, detail::back_cut) const {
        sum_right(flag, result, tree().root, tree().level, low);
    }
    void sum_between(overflow_flag& flag, sums& result, detail::front_cut, detail::back_cut) const {
        if (tree().level > detail::wide_leaf) {
            const auto& root = nodes().inner_at(tree().root);
            slots::merge_all(flag, result, root.totals, root.totals + root.filled);
        } else {
            const auto leaf = leaf_at(tree().root);
            slots::merge_all(flag, result, leaf.payloads, leaf.payloads + leaf.count());
        }
    }

    // How many of `count` neighbours a running sum takes in before it passes; all if it never does.
    template <std::size_t Slot, bool Ascending, class Item, class Passes>
    static std::uint32_t steps_before(overflow_flag& flag, const sums& before, const Item* items, std::uint32_t count,
                                      Passes& passes) {
        using rule = typename slots::template rule<Slot>;
        auto running = detail::at<Slot>(before);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto& item = detail::at<Slot>(items[Ascending ? i : count - 1 - i]);
            if constexpr (std::is_same_v<Item, sums>) {
                rule::merge(flag, running, item);
            } else {
                rule::merge(flag, running, rule::widen(item));
            }
            if (passes(rule::read(running))) {
                return i;
            }
        }
        return count;
    }

    template <std::size_t Slot, bool Ascending, class Passes>
    crossing cross(overflow_flag& flag, Passes& passes) const {
        if (empty()) {
            return {};
        }
        crossing result;
        sums before{};
        // Finds the item to go on with and adds up those before it. Only at the root may the answer be that there is
        // none: further down the sums of the parent have promised one, and if floating sums of the parts disagree with
        // the sum of the whole in the last bit, the last item is as right as any.
        const auto choose = [&](const auto* items, std::uint32_t count, bool at_root, auto&& skip) {
            std::uint32_t steps = steps_before<Slot, Ascending>(flag, before, items, count, passes);
            if (steps == count && !at_root) {
                --steps;
            }
            const std::uint32_t skipped = Ascending ? 0 : count - steps;
            slots::merge_all(flag, before, items + skipped, items + skipped + steps);
            skip(skipped, steps);
            return steps == count ? nil : Ascending ? steps : count - 1 - steps;
        };
        std::uint32_t id = tree().root;
        for (std::uint32_t level = tree().level; level > detail::wide_leaf; --level) {
            const auto& node = nodes().inner_at(id);
            const auto skip = [&](std::uint32_t from, std::uint32_t steps) {
                for (std::uint32_t i = from; i < from + steps; ++i) {
                    result.count_before += node.sizes[i];
                }
            };
            const std::uint32_t child = choose(+node.totals, node.filled, level == tree().level, skip);
            if (child == nil) {
                return {};
            }
            id = node.children[child];
        }
        const auto leaf = leaf_at(id);
        const auto skip = [&](std::uint32_t, std::uint32_t steps) { result.count_before += steps; };
        const std::uint32_t place = choose(leaf.payloads, leaf.count(), tree().level <= detail::wide_leaf, skip);
        if (place == nil) {
            return {};
        }
        result.at = {&trees(), leaf_level(), id, place};
        result.before = slots::read(before);
        return result;
    }
};

} // namespace tg
