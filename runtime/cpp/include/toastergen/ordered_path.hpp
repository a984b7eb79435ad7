// The way to an entry of an ordered tree, and the nodes that an insertion there will need.
#pragma once

#include "ordered_nodes.hpp"

namespace tg::detail {

struct path_step {
    std::uint32_t node;
    std::uint32_t child;
};

// From the root of a tree to a place in a leaf.
struct tree_path {
    std::array<path_step, deepest> steps;
    std::uint32_t depth = 0;
    std::uint32_t leaf = nil;
    std::uint32_t place = 0;
    bool found = false;

    // Of the node that the step leads to.
    std::uint32_t level_below(std::uint32_t step) const { return wide_leaf + depth - 1 - step; }
};

// The nodes that an insertion is going to need, made before anything is changed. Those left over are given back.
template <class Nodes, class Tree> class spare_nodes {
public:
    spare_nodes(Nodes& pool, const Tree& owner, const tree_path& way) : m_pool(pool), m_level(owner.level) {
        if (owner.root == nil) {
            m_leaf = pool.create_leaf(m_level = tiny_leaf);
            return;
        }
        if (!pool.leaf_at(m_level, way.leaf).full()) {
            return;
        }
        m_level = std::min(m_level + 1, wide_leaf);
        m_leaf = pool.create_leaf(m_level);
        try {
            create_inner(owner, way);
        } catch (...) {
            release();
            throw;
        }
    }
    spare_nodes(const spare_nodes&) = delete;
    spare_nodes& operator=(const spare_nodes&) = delete;
    ~spare_nodes() { release(); }

    std::uint32_t take_leaf() { return std::exchange(m_leaf, nil); }
    std::uint32_t take_inner() { return m_inner[--m_inner_count]; }

private:
    void create_inner(const Tree& owner, const tree_path& way) {
        if (owner.level < wide_leaf) {
            return;
        }
        std::uint32_t depth = way.depth;
        while (depth != 0 && m_pool.inner_at(way.steps[depth - 1].node).full()) {
            m_inner[m_inner_count] = m_pool.create_inner();
            ++m_inner_count;
            --depth;
        }
        if (depth == 0) { // all full: the tree grows a new root
            m_inner[m_inner_count] = m_pool.create_inner();
            ++m_inner_count;
        }
    }

    void release() {
        if (m_leaf != nil) {
            m_pool.destroy_leaf(m_level, m_leaf);
        }
        while (m_inner_count != 0) {
            m_pool.destroy_inner(take_inner());
        }
    }

    Nodes& m_pool;
    std::uint32_t m_level;
    std::uint32_t m_leaf = nil;
    std::array<std::uint32_t, deepest + 1> m_inner;
    std::uint32_t m_inner_count = 0;
};

} // namespace tg::detail
