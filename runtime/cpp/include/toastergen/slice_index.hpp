// Secondary index: all records that agree on a part of the key, as a chain.
#pragma once

#include "unique_index.hpp"

namespace tg {

// One per secondary index, inside the record.
struct slice_link {
    std::uint32_t next = nil;
    std::uint32_t prev = nil;
};

// The table maps a partial key to the head of its chain; the chain runs through the records. Functions take `links`, a
// callable from record id to that record's slice_link&.
class slice_index {
public:
    template <class Equal> std::uint32_t find(std::uint32_t hash, Equal&& equal) const {
        return m_heads.find(hash, equal);
    }

    // Makes room for one more chain; see unique_index.
    void reserve_one() { m_heads.reserve_one(); }

    // A new record goes second: the head stays, so the table is written only for a new partial key.
    template <class Links, class Equal>
    void insert(std::uint32_t hash, std::uint32_t id, Links&& links, Equal&& equal) {
        const std::uint32_t head = m_heads.find(hash, equal);
        slice_link& own = links(id);
        if (head == nil) {
            own = {};
            m_heads.insert(hash, id);
            return;
        }
        slice_link& first = links(head);
        own = {.next = first.next, .prev = head};
        if (first.next != nil) {
            links(first.next).prev = id;
        }
        first.next = id;
    }

    // `hash_of_key` gives the hash of the record's partial key; it is asked for only when the record heads its chain.
    template <class Links, class Hash> void remove(std::uint32_t id, Links&& links, Hash&& hash_of_key) {
        const slice_link own = links(id);
        if (own.next != nil) {
            links(own.next).prev = own.prev;
        }
        if (own.prev != nil) {
            links(own.prev).next = own.next;
        } else if (own.next != nil) {
            m_heads.replace(hash_of_key(), id, own.next);
        } else {
            m_heads.erase(hash_of_key(), id);
        }
    }

    void clear() { m_heads.clear(); }
    std::size_t size() const { return m_heads.size(); } // number of distinct partial keys
    std::size_t bytes() const { return m_heads.bytes(); }
    probe_stats probes() const { return m_heads.probes(); }

private:
    unique_index m_heads;
};

} // namespace tg
