// Changes of ordered trees: any number of trees over one set of pools.
#pragma once

#include "ordered_path.hpp"

namespace tg::detail {

template <class Key, class SlotList, class Tuning> class ordered_trees {
public:
    using codec = key_codec<Key>;
    using slots = slot_codec<SlotList>;
    using nodes = ordered_nodes<codec, slots, Tuning>;
    using tree = ordered_tree<slots::size>;
    using arena = std::conditional_t<codec::has_text, text_arena, no_arena>;
    using key_param = typename codec::param;
    using values = typename slots::values;
    using changes = typename slots::changes;

    const nodes& all_nodes() const { return m_nodes; }
    const arena& strings() const { return m_arena; }
    std::size_t bytes() const { return m_nodes.bytes() + m_arena.bytes(); }

    void clear() {
        m_nodes.clear();
        m_arena.clear();
    }

    // What to do with an entry that is already there.
    enum class present { keep, add };

    // True if the key was new. All that can fail comes before the first change.
    bool insert(overflow_flag& flag, tree& owner, const key_param& key, const changes& given, std::uint32_t record,
                present policy) {
        const path way = locate(owner, codec::to_probe(codec::as_tuple(key)));
        if (way.found) {
            if (policy == present::add) {
                add_at(flag, owner, way, given);
            }
            return false;
        }
        if (owner.size == nil) {
            throw std::length_error("an ordered index cannot hold more than 4294967295 entries");
        }
        spares ready(m_nodes, owner, way);
        entry made{codec::store(m_arena, key), {}, record};
        const sums change = slots::accumulate(flag, made.payload, given);
        slots::count_negatives(owner.negatives, made.payload, 1);
        ++owner.size;
        const std::uint32_t right = insert_into_leaf(owner, way, made, ready);
        const bool lowest = way.place == 0;
        rise(flag, owner, way, {change, made.key, lowest}, right, ready);
        return true;
    }

    // False if there is no such key.
    bool add(overflow_flag& flag, tree& owner, const key_param& key, const changes& delta) {
        const path way = locate(owner, codec::to_probe(codec::as_tuple(key)));
        if (way.found) {
            add_at(flag, owner, way, delta);
        }
        return way.found;
    }

    // False if there is no such key. Never fails.
    bool erase(overflow_flag& flag, tree& owner, const key_param& key) {
        const path way = locate(owner, codec::to_probe(codec::as_tuple(key)));
        if (!way.found) {
            return false;
        }
        const leaf from = m_nodes.leaf_at(owner.level, way.leaf);
        const sums change = slots::negated(flag, from.payloads[way.place]);
        slots::count_negatives(owner.negatives, from.payloads[way.place], ~std::uint32_t{0});
        codec::release(m_arena, from.keys[way.place]);
        nodes::close_gap(from, way.place);
        --owner.size;
        sink(flag, way, change);
        shrink_root(owner);
        return true;
    }

private:
    using sums = typename slots::sums;
    using leaf = typename nodes::leaf;
    using inner_node = typename nodes::inner_node;

    struct entry {
        typename codec::stored key;
        typename slots::payload payload;
        std::uint32_t record;
    };

    using step = path_step;
    using path = tree_path;
    using spares = spare_nodes<nodes, tree>;

    struct arrival {
        sums change;
        typename codec::stored key;
        bool lowest; // of the nodes handled so far
    };

    path locate(const tree& owner, const typename codec::probe& probe) const {
        path way;
        if (owner.root == nil) {
            return way;
        }
        const cut<typename codec::probe> behind{probe, true};
        std::uint32_t id = owner.root;
        for (std::uint32_t level = owner.level; level > wide_leaf; --level) {
            const inner_node& node = m_nodes.inner_at(id);
            const std::uint32_t left = left_of<codec>(m_arena, node.keys, node.filled, behind);
            const std::uint32_t child = left == 0 ? 0 : left - 1;
            way.steps[way.depth++] = {id, child};
            id = node.children[child];
        }
        const auto last = m_nodes.leaf_at(owner.level, id);
        way.leaf = id;
        way.place = left_of<codec>(m_arena, last.keys, last.count(), cut<typename codec::probe>{probe, false});
        way.found = way.place < last.count() && codec::equal(m_arena, last.keys[way.place], probe);
        return way;
    }

    void add_at(overflow_flag& flag, tree& owner, const path& way, const changes& delta) {
        auto& payload = m_nodes.leaf_at(owner.level, way.leaf).payloads[way.place];
        slots::count_negatives(owner.negatives, payload, ~std::uint32_t{0});
        const sums change = slots::accumulate(flag, payload, delta);
        slots::count_negatives(owner.negatives, payload, 1);
        for (std::uint32_t depth = way.depth; depth-- != 0;) {
            const step at = way.steps[depth];
            merge(flag, m_nodes.inner_at(at.node), at.child, way.level_below(depth), change);
        }
    }

    void merge(overflow_flag& flag, inner_node& node, std::uint32_t child, std::uint32_t level, const sums& change) {
        if (!slots::merge(flag, node.totals[child], change)) {
            m_nodes.refresh(flag, node, child, level);
        }
    }

    // How many entries stay on the left of a split. Keys that arrive in order leave fuller nodes behind.
    static std::uint32_t kept(std::uint32_t capacity, bool appends, bool prepends) {
        const std::uint32_t few = std::max(1u, capacity / 4);
        return appends ? capacity - few : prepends ? few : capacity / 2;
    }

    static void write(const leaf& into, std::uint32_t place, const entry& made) {
        nodes::open_gap(into, place);
        into.keys[place] = made.key;
        into.payloads[place] = made.payload;
        into.records[place] = made.record;
    }

    // Returns the new right neighbour if the leaf was split, else nil.
    std::uint32_t insert_into_leaf(tree& owner, const path& way, const entry& made, spares& ready) {
        if (owner.root == nil) {
            owner.root = ready.take_leaf();
            owner.level = tiny_leaf;
            write(m_nodes.leaf_at(tiny_leaf, owner.root), 0, made);
            return nil;
        }
        const leaf left = m_nodes.leaf_at(owner.level, way.leaf);
        if (!left.full()) {
            write(left, way.place, made);
            return nil;
        }
        if (owner.level < wide_leaf) {
            move_root(owner, owner.level + 1, ready.take_leaf());
            write(m_nodes.leaf_at(owner.level, owner.root), way.place, made);
            return nil;
        }
        const std::uint32_t id = ready.take_leaf();
        const leaf right = m_nodes.leaf_at(wide_leaf, id);
        const std::uint32_t stay = kept(Tuning::leaf, left.head->next == nil && way.place == Tuning::leaf,
                                        left.head->prev == nil && way.place == 0);
        nodes::splice(left, stay, Tuning::leaf - stay, right, 0);
        link_after(way.leaf, id);
        way.place <= stay ? write(left, way.place, made) : write(right, way.place - stay, made);
        return id;
    }

    void link_after(std::uint32_t left, std::uint32_t added) {
        auto& head = *m_nodes.leaf_at(wide_leaf, left).head;
        auto& own = *m_nodes.leaf_at(wide_leaf, added).head;
        own.prev = left;
        own.next = head.next;
        if (head.next != nil) {
            m_nodes.leaf_at(wide_leaf, head.next).head->prev = added;
        }
        head.next = added;
    }

    // A tree of one leaf changes to a leaf of another size.
    void move_root(tree& owner, std::uint32_t level, std::uint32_t id) {
        const leaf from = m_nodes.leaf_at(owner.level, owner.root);
        nodes::splice(from, 0, from.count(), m_nodes.leaf_at(level, id), 0);
        m_nodes.destroy_leaf(owner.level, owner.root);
        owner.root = id;
        owner.level = level;
    }

    // Tells the nodes above a leaf about its new entry. `right` is the new neighbour of the node below, if any.
    void rise(overflow_flag& flag, tree& owner, const path& way, arrival news, std::uint32_t right, spares& ready) {
        for (std::uint32_t depth = way.depth; depth-- != 0;) {
            const step at = way.steps[depth];
            const std::uint32_t level = way.level_below(depth);
            inner_node& node = m_nodes.inner_at(at.node);
            if (right != nil) {
                m_nodes.refresh(flag, node, at.child, level);
                right = insert_child(flag, at, level, right, ready);
            } else {
                ++node.sizes[at.child];
                if (news.lowest) {
                    node.keys[at.child] = news.key;
                }
                merge(flag, node, at.child, level, news.change);
            }
            news.lowest = news.lowest && at.child == 0;
        }
        if (right != nil) {
            const std::uint32_t id = ready.take_inner();
            inner_node& root = m_nodes.inner_at(id);
            root.filled = 2;
            root.children[0] = owner.root;
            root.children[1] = right;
            m_nodes.refresh(flag, root, 0, owner.level);
            m_nodes.refresh(flag, root, 1, owner.level);
            owner.root = id;
            ++owner.level;
        }
    }

    // A new child right of child `at.child`. Returns the new right neighbour if the node was split, else nil.
    std::uint32_t insert_child(overflow_flag& flag, step at, std::uint32_t level, std::uint32_t child, spares& ready) {
        inner_node& left = m_nodes.inner_at(at.node);
        const std::uint32_t place = at.child + 1;
        if (!left.full()) {
            write_child(flag, left, place, level, child);
            return nil;
        }
        const std::uint32_t id = ready.take_inner();
        inner_node& right = m_nodes.inner_at(id);
        const std::uint32_t stay = kept(Tuning::inner, place == Tuning::inner, place == 1);
        nodes::splice(left, stay, Tuning::inner - stay, right, 0);
        place <= stay ? write_child(flag, left, place, level, child)
                      : write_child(flag, right, place - stay, level, child);
        return id;
    }

    void write_child(overflow_flag& flag, inner_node& node, std::uint32_t place, std::uint32_t level,
                     std::uint32_t child) {
        nodes::open_gap(node, place);
        node.children[place] = child;
        m_nodes.refresh(flag, node, place, level);
    }

    // Tells the nodes above a leaf that an entry is gone, and fills up nodes that became too empty.
    void sink(overflow_flag& flag, const path& way, const sums& change) {
        bool lowest = way.place == 0;
        for (std::uint32_t depth = way.depth; depth-- != 0;) {
            const step at = way.steps[depth];
            const std::uint32_t level = way.level_below(depth);
            inner_node& node = m_nodes.inner_at(at.node);
            --node.sizes[at.child];
            if (lowest) {
                node.keys[at.child] = m_nodes.lowest(level, node.children[at.child]);
            }
            lowest = lowest && at.child == 0;
            merge(flag, node, at.child, level, change);
            if (m_nodes.count_of(level, node.children[at.child]) < least_filled(nodes::capacity_of(level))) {
                fill_up(flag, node, at.child, level);
            }
        }
    }

    // Nodes other than the root have at least two children, so there is a neighbour below the same parent.
    void fill_up(overflow_flag& flag, inner_node& parent, std::uint32_t child, std::uint32_t level) {
        const std::uint32_t i = child == 0 ? 0 : child - 1;
        const std::uint32_t right = parent.children[i + 1];
        bool merged = false;
        if (level > wide_leaf) {
            merged = even_out(m_nodes.inner_at(parent.children[i]), m_nodes.inner_at(right), Tuning::inner);
        } else {
            const leaf ending = m_nodes.leaf_at(level, right);
            merged = even_out(m_nodes.leaf_at(level, parent.children[i]), ending, Tuning::leaf);
            if (merged) {
                unlink(*ending.head);
            }
        }
        if (merged) {
            level > wide_leaf ? m_nodes.destroy_inner(right) : m_nodes.destroy_leaf(level, right);
            nodes::close_gap(parent, i + 1);
        } else {
            m_nodes.refresh(flag, parent, i + 1, level);
        }
        m_nodes.refresh(flag, parent, i, level);
    }

    // True if all of the right node went to the left one.
    template <class Left, class Right> static bool even_out(Left&& left, Right&& right, std::uint32_t capacity) {
        const std::uint32_t both = left.count() + right.count();
        if (both <= most_merged(capacity)) {
            nodes::splice(right, 0, right.count(), left, left.count());
            return true;
        }
        const std::uint32_t half = both / 2;
        if (left.count() < half) {
            nodes::splice(right, 0, half - left.count(), left, left.count());
        } else {
            nodes::splice(left, half, left.count() - half, right, 0);
        }
        return false;
    }

    void unlink(const typename nodes::leaf_head& head) {
        if (head.next != nil) {
            m_nodes.leaf_at(wide_leaf, head.next).head->prev = head.prev;
        }
        if (head.prev != nil) {
            m_nodes.leaf_at(wide_leaf, head.prev).head->next = head.next;
        }
    }

    void shrink_root(tree& owner) {
        if (owner.size == 0) {
            m_nodes.destroy_leaf(owner.level, owner.root);
            owner = {};
        } else if (owner.level > wide_leaf) {
            const inner_node& root = m_nodes.inner_at(owner.root);
            if (root.filled == 1) {
                m_nodes.destroy_inner(std::exchange(owner.root, root.children[0]));
                --owner.level;
            }
        } else if (owner.level != tiny_leaf && owner.size <= nodes::capacity_of(owner.level - 1) / 2) {
            try {
                move_root(owner, owner.level - 1, m_nodes.create_leaf(owner.level - 1));
            } catch (...) {
                // A smaller leaf saves memory, nothing else: without memory for it the large one stays.
            }
        }
    }

    nodes m_nodes;
    [[no_unique_address]] arena m_arena;
};

} // namespace tg::detail
