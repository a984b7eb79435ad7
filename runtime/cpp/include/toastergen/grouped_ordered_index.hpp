// One ordered index per group, for groups of any size: see ordered_index.hpp for the laws, which hold within a group.
//
//     tg::grouped_ordered_index<tg::ordered_key<tg::text>, tg::ordered_key<double>, tg::ordered_slots<std::int64_t>>
//     bids; bids.insert(flag, "ACME", 10.5, {3}, record); bids.group("ACME").last();          // the best bid; a view
//     of an unknown group is empty
//
// A group is found by hash. Its first entries live in a leaf of four, then sixteen places; only then it gets nodes of
// full size. A group ends with its last entry.
#pragma once

#include "ordered_index.hpp"

namespace tg {

template <class Group, class Key, class Slots, class Tuning = ordered_tuning, class Hash = field_hash>
class grouped_ordered_index {
    using trees_type = detail::ordered_trees<Key, Slots, Tuning>;
    using group_codec = detail::key_codec<Group>;
    using group_arena = std::conditional_t<group_codec::has_text, text_arena, detail::no_arena>;

    struct group_record {
        typename group_codec::stored fields;
        typename trees_type::tree tree;
    };

public:
    using group_type = typename group_codec::param;
    using key_type = typename trees_type::key_param;
    using payload_type = typename trees_type::values;
    using change_type = typename trees_type::changes;

    // The entries of one group. Valid until the index changes.
    class group_view : public ordered_queries<group_view, trees_type> {
        friend grouped_ordered_index;
        friend ordered_queries<group_view, trees_type>;

        group_view(const trees_type& trees, const typename trees_type::tree& tree) : m_trees(&trees), m_tree(&tree) {}
        const trees_type& trees() const { return *m_trees; }
        const auto& tree() const { return *m_tree; }

        const trees_type* m_trees;
        const typename trees_type::tree* m_tree;
    };

    group_view group(const group_type& group) const {
        const std::uint32_t id = find(hash_of_group(group), group);
        return {m_trees, id == nil ? nothing : m_groups[id].tree};
    }

    // False, and nothing changes, if the group has the key.
    bool insert(overflow_flag& flag, const group_type& group, const key_type& key, const change_type& payload,
                std::uint32_t record = nil) {
        return insert(flag, group, key, payload, record, trees_type::present::keep);
    }

    // True if the key was new; else its payload has been added to, and its record is the old one.
    bool insert_or_add(overflow_flag& flag, const group_type& group, const key_type& key, const change_type& delta,
                       std::uint32_t record = nil) {
        return insert(flag, group, key, delta, record, trees_type::present::add);
    }

    // False if the group does not have the key.
    bool add(overflow_flag& flag, const group_type& group, const key_type& key, const change_type& delta) {
        const std::uint32_t id = find(hash_of_group(group), group);
        return id != nil && m_trees.add(flag, m_groups[id].tree, key, delta);
    }

    // False if the group does not have the key.
    bool erase(overflow_flag& flag, const group_type& group, const key_type& key) {
        const std::uint32_t hash = hash_of_group(group);
        const std::uint32_t id = find(hash, group);
        if (id == nil || !m_trees.erase(flag, m_groups[id].tree, key)) {
            return false;
        }
        --m_size;
        if (m_groups[id].tree.size == 0) {
            m_index.erase(hash, id);
            destroy(id);
        }
        return true;
    }

    // Calls `visit(group, view)` for every group, in no particular order. `visit` must not change the index.
    template <class Visit> void for_each_group(Visit&& visit) const {
        for (const group_record& each : m_groups) {
            visit(group_codec::read(m_arena, each.fields), group_view{m_trees, each.tree});
        }
    }

    std::size_t size() const { return m_size; } // entries of all groups
    std::size_t groups() const { return m_groups.size(); }
    bool empty() const { return m_size == 0; }

    void clear() {
        m_trees.clear();
        m_groups.clear();
        m_index.clear();
        m_arena.clear();
        m_size = 0;
    }

    std::size_t bytes() const { return m_trees.bytes() + m_groups.bytes() + m_index.bytes() + m_arena.bytes(); }
    ordered_stats stats() const {
        const auto& nodes = m_trees.all_nodes();
        return {m_size, groups(), nodes.leaves(), nodes.inner_nodes(), bytes()};
    }

private:
    static constexpr typename trees_type::tree nothing{};

    static std::uint32_t hash_of_group(const group_type& group) {
        return std::apply(Hash{}, group_codec::as_tuple(group));
    }

    std::uint32_t find(std::uint32_t hash, const group_type& group) const {
        const auto probe = group_codec::to_probe(group_codec::as_tuple(group));
        return m_index.find(hash,
                            [&](std::uint32_t id) { return group_codec::equal(m_arena, m_groups[id].fields, probe); });
    }

    bool insert(overflow_flag& flag, const group_type& group, const key_type& key, const change_type& payload,
                std::uint32_t record, typename trees_type::present policy) {
        const std::uint32_t hash = hash_of_group(group);
        std::uint32_t id = find(hash, group);
        const bool known = id != nil;
        if (!known) {
            m_index.reserve_one();
            id = create(group);
        }
        bool added = false;
        try {
            added = m_trees.insert(flag, m_groups[id].tree, key, payload, record, policy);
        } catch (...) {
            if (!known) {
                destroy(id);
            }
            throw;
        }
        if (!known) {
            m_index.insert(hash, id);
        }
        m_size += added ? 1 : 0;
        return added;
    }

    std::uint32_t create(const group_type& group) {
        const std::uint32_t id = m_groups.create();
        try {
            m_groups[id].fields = group_codec::store(m_arena, group);
        } catch (...) {
            m_groups.destroy(id);
            throw;
        }
        return id;
    }

    void destroy(std::uint32_t id) {
        group_codec::release(m_arena, m_groups[id].fields);
        m_groups.destroy(id);
    }

    trees_type m_trees;
    record_pool<group_record> m_groups;
    unique_index m_index;
    [[no_unique_address]] group_arena m_arena;
    std::size_t m_size = 0;
};

} // namespace tg
