// Nodes of ordered indexes: layout, pools, and what moves entries between them.
#pragma once

#include "ordered_sums.hpp"
#include "record_pool.hpp"

namespace tg {

// Sizes of nodes, in entries and in children; see bench/NOTES.md for the measurement. `visit` is called for every node
// that is looked at: tests count there, engines leave it empty.
struct ordered_tuning {
    static constexpr std::uint32_t tiny = 4;
    static constexpr std::uint32_t small = 16;
    static constexpr std::uint32_t leaf = 32;
    static constexpr std::uint32_t inner = 32;
    static void visit() {}
};

struct ordered_stats {
    std::size_t entries = 0;
    std::size_t groups = 0;
    std::size_t leaves = 0; // of all sizes
    std::size_t inner_nodes = 0;
    std::size_t bytes = 0;
};

namespace detail {

// A tree is a leaf, which starts tiny and moves to a larger one twice, and later inner nodes above wide leaves. Its
// level tells which of these the root is.
inline constexpr std::uint32_t tiny_leaf = 0;
inline constexpr std::uint32_t small_leaf = 1;
inline constexpr std::uint32_t wide_leaf = 2;

// Nodes below the root keep a quarter of their places filled, and at least two: 2^32 entries fit below this many.
inline constexpr std::uint32_t deepest = 32;
constexpr std::uint32_t least_filled(std::uint32_t capacity) {
    return std::max(2u, capacity / 4);
}

// Neighbours are merged only if that leaves room, so that a key that comes and goes does not merge and split each time.
constexpr std::uint32_t most_merged(std::uint32_t capacity) {
    return capacity / 4 * 3;
}

template <std::size_t SlotCount> struct ordered_tree {
    std::uint32_t root = nil;
    std::uint32_t size = 0;
    std::uint32_t level = tiny_leaf;
    std::array<std::uint32_t, SlotCount> negatives{}; // entries below zero, per slot
};

template <class Codec, class Slots, class Tuning> class ordered_nodes {
    static_assert(Tuning::tiny >= 1 && Tuning::small > Tuning::tiny && Tuning::leaf > Tuning::small);
    static_assert(Tuning::leaf >= 4 && Tuning::inner >= 4, "a node that is split must make two that stand alone");

    using key = typename Codec::stored;
    using payload = typename Slots::payload;
    using sums = typename Slots::sums;

public:
    struct leaf_head {
        std::uint32_t count = 0;
        std::uint32_t prev = nil;
        std::uint32_t next = nil;
    };

    // Field by field and not entry by entry: a search reads keys only, a sum payloads only.
    template <std::uint32_t Capacity> struct leaf_node {
        leaf_head head;
        std::uint32_t records[Capacity];
        key keys[Capacity];
        payload payloads[Capacity];
    };

    // A leaf of any size.
    template <bool Const> struct leaf_span {
        template <class T> using pointer = std::conditional_t<Const, const T*, T*>;

        pointer<leaf_head> head;
        pointer<std::uint32_t> records;
        pointer<key> keys;
        pointer<payload> payloads;
        std::uint32_t capacity;

        std::uint32_t count() const { return head->count; }
        void set_count(std::uint32_t count) const { head->count = count; }
        bool full() const { return head->count == capacity; }

        template <class Visit> static void each_array(const leaf_span& source, const leaf_span& target, Visit visit) {
            visit(source.records, target.records);
            visit(source.keys, target.keys);
            visit(source.payloads, target.payloads);
        }
    };
    using leaf = leaf_span<false>;
    using const_leaf = leaf_span<true>;

    // keys[i] is the smallest key below child i, always: it is a key that lives, so a string in it is never a string
    // already given back.
    struct inner_node {
        std::uint32_t filled = 0;
        std::uint32_t children[Tuning::inner];
        std::uint32_t sizes[Tuning::inner];
        key keys[Tuning::inner];
        sums totals[Tuning::inner];

        std::uint32_t count() const { return filled; }
        void set_count(std::uint32_t count) { filled = count; }
        bool full() const { return filled == Tuning::inner; }

        template <class Visit> static void each_array(inner_node& source, inner_node& target, Visit visit) {
            visit(+source.children, +target.children);
            visit(+source.sizes, +target.sizes);
            visit(+source.keys, +target.keys);
            visit(+source.totals, +target.totals);
        }
    };
    static_assert(std::is_trivially_copyable_v<leaf_node<Tuning::leaf>> && std::is_trivially_copyable_v<inner_node>);

    leaf leaf_at(std::uint32_t level, std::uint32_t id) { return find_leaf<leaf>(*this, level, id); }
    const_leaf leaf_at(std::uint32_t level, std::uint32_t id) const { return find_leaf<const_leaf>(*this, level, id); }

    inner_node& inner_at(std::uint32_t id) {
        Tuning::visit();
        return m_inner[id];
    }
    const inner_node& inner_at(std::uint32_t id) const {
        Tuning::visit();
        return m_inner[id];
    }

    std::uint32_t create_leaf(std::uint32_t level) {
        return level == tiny_leaf ? m_tiny.create() : level == small_leaf ? m_small.create() : m_wide.create();
    }
    std::uint32_t create_inner() { return m_inner.create(); }

    void destroy_leaf(std::uint32_t level, std::uint32_t id) {
        level == tiny_leaf ? m_tiny.destroy(id) : level == small_leaf ? m_small.destroy(id) : m_wide.destroy(id);
    }
    void destroy_inner(std::uint32_t id) { m_inner.destroy(id); }

    static constexpr std::uint32_t capacity_of(std::uint32_t level) {
        return level == tiny_leaf    ? Tuning::tiny
               : level == small_leaf ? Tuning::small
               : level == wide_leaf  ? Tuning::leaf
                                     : Tuning::inner;
    }

    const key& lowest(std::uint32_t level, std::uint32_t id) const {
        return level > wide_leaf ? inner_at(id).keys[0] : leaf_at(level, id).keys[0];
    }

    std::uint32_t count_of(std::uint32_t level, std::uint32_t id) const {
        return level > wide_leaf ? inner_at(id).filled : leaf_at(level, id).count();
    }

    // Writes down anew what `parent` knows about its i-th child, which is a node of `level`.
    void refresh(overflow_flag& flag, inner_node& parent, std::uint32_t i, std::uint32_t level) {
        sums total{};
        std::uint32_t size = 0;
        const std::uint32_t id = parent.children[i];
        if (level > wide_leaf) {
            const inner_node& child = inner_at(id);
            Slots::merge_all(flag, total, child.totals, child.totals + child.filled);
            for (std::uint32_t each = 0; each < child.filled; ++each) {
                size += child.sizes[each];
            }
            parent.keys[i] = child.keys[0];
        } else {
            const leaf child = leaf_at(level, id);
            Slots::merge_all(flag, total, child.payloads, child.payloads + child.count());
            size = child.count();
            parent.keys[i] = child.keys[0];
        }
        parent.sizes[i] = size;
        parent.totals[i] = total;
    }

    // Moves `count` entries from place `from` of one node to place `to` of another.
    template <class Source, class Target>
    static void splice(Source&& source, std::uint32_t from, std::uint32_t count, Target&& target, std::uint32_t to) {
        const std::uint32_t had = source.count();
        const std::uint32_t has = target.count();
        std::remove_cvref_t<Source>::each_array(source, target, [&](auto* out, auto* in) {
            std::copy_backward(in + to, in + has, in + has + count);
            std::copy_n(out + from, count, in + to);
            std::copy(out + from + count, out + had, out + from);
        });
        source.set_count(had - count);
        target.set_count(has + count);
    }

    // Opens or closes a gap of one entry.
    template <class Node> static void open_gap(Node&& node, std::uint32_t place) {
        const std::uint32_t count = node.count();
        std::remove_cvref_t<Node>::each_array(node, node, [&](auto* array, auto*) {
            std::copy_backward(array + place, array + count, array + count + 1);
        });
        node.set_count(count + 1);
    }
    template <class Node> static void close_gap(Node&& node, std::uint32_t place) {
        const std::uint32_t count = node.count();
        std::remove_cvref_t<Node>::each_array(
            node, node, [&](auto* array, auto*) { std::copy(array + place + 1, array + count, array + place); });
        node.set_count(count - 1);
    }

    std::size_t leaves() const { return m_tiny.size() + m_small.size() + m_wide.size(); }
    std::size_t inner_nodes() const { return m_inner.size(); }
    std::size_t bytes() const { return m_tiny.bytes() + m_small.bytes() + m_wide.bytes() + m_inner.bytes(); }

    void clear() {
        m_tiny.clear();
        m_small.clear();
        m_wide.clear();
        m_inner.clear();
    }

private:
    template <class Span, class Self> static Span find_leaf(Self& self, std::uint32_t level, std::uint32_t id) {
        Tuning::visit();
        const auto span = [](auto& node, std::uint32_t capacity) {
            return Span{&node.head, node.records, node.keys, node.payloads, capacity};
        };
        if (level >= wide_leaf) [[likely]] {
            return span(self.m_wide[id], Tuning::leaf);
        }
        return level == small_leaf ? span(self.m_small[id], Tuning::small) : span(self.m_tiny[id], Tuning::tiny);
    }

    record_pool<leaf_node<Tuning::tiny>> m_tiny;
    record_pool<leaf_node<Tuning::small>> m_small;
    record_pool<leaf_node<Tuning::leaf>> m_wide;
    record_pool<inner_node> m_inner;
};

} // namespace detail

} // namespace tg
