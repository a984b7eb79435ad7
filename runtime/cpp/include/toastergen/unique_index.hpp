// Open addressing from a 32-bit hash to a record id. It never looks at records itself: the caller compares.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tg {

inline constexpr std::uint32_t nil = 0xffffffffu; // no record

struct probe_stats {
    std::size_t max = 0; // distance of an entry from the place its hash names
    double mean = 0;
};

// An entry's place follows from the 32 bits stored with it, so growing never touches a record. Erasing shifts followers
// back instead of leaving a mark: tables with a steady turnover keep short probes for ever.
class unique_index {
public:
    template <class Equal> std::uint32_t find(std::uint32_t hash, Equal&& equal) const {
        if (m_size == 0) {
            return nil;
        }
        for (std::size_t at = home(hash);; at = next(at)) {
            const entry& candidate = m_entries[at];
            if (candidate.id == nil) {
                return nil;
            }
            if (candidate.hash == hash && equal(candidate.id)) {
                return candidate.id;
            }
        }
    }

    // Makes room for one more entry. The only operation that can fail, so callers do it before they change anything.
    void reserve_one() {
        if (m_size + 1 <= limit(m_entries.size())) {
            return;
        }
        if (m_entries.size() >= largest_capacity) {
            throw std::length_error("a map cannot hold more records: its index is full");
        }
        resize(std::max(smallest_capacity, m_entries.size() * 2));
    }

    // The caller knows that no equal key is present, and has reserved.
    void insert(std::uint32_t hash, std::uint32_t id) {
        std::size_t at = home(hash);
        while (m_entries[at].id != nil) {
            at = next(at);
        }
        m_entries[at] = {hash, id};
        ++m_size;
    }

    // `id` must be present under `hash`.
    void replace(std::uint32_t hash, std::uint32_t id, std::uint32_t new_id) { m_entries[place(hash, id)].id = new_id; }

    // `id` must be present under `hash`.
    void erase(std::uint32_t hash, std::uint32_t id) {
        std::size_t hole = place(hash, id);
        for (std::size_t at = next(hole); m_entries[at].id != nil; at = next(at)) {
            // An entry may fill the hole unless that would put it before its home.
            if (distance(home(m_entries[at].hash), at) >= distance(hole, at)) {
                m_entries[hole] = m_entries[at];
                hole = at;
            }
        }
        m_entries[hole] = {};
        --m_size;
    }

    // Forgets all entries. The table is kept if its size suits what it held, so that filling it again costs nothing,
    // and a rare large round does not make all small rounds after it wipe a large table.
    void clear() {
        const std::size_t wanted = std::max(smallest_capacity, std::bit_ceil(m_size * 2));
        if (m_entries.size() > largest_kept || m_entries.size() > wanted * 8) {
            m_entries = {};
        } else if (m_size != 0) {
            std::fill(m_entries.begin(), m_entries.end(), entry{});
        }
        m_size = 0;
    }

    std::size_t size() const { return m_size; }
    std::size_t capacity() const { return m_entries.size(); }
    std::size_t bytes() const { return m_entries.capacity() * sizeof(entry); }

    probe_stats probes() const {
        probe_stats result;
        std::size_t total = 0;
        for (std::size_t at = 0; at < m_entries.size(); ++at) {
            if (m_entries[at].id != nil) {
                const std::size_t steps = distance(home(m_entries[at].hash), at);
                result.max = std::max(result.max, steps);
                total += steps;
            }
        }
        result.mean = m_size == 0 ? 0 : static_cast<double>(total) / static_cast<double>(m_size);
        return result;
    }

private:
    struct entry {
        std::uint32_t hash = 0;
        std::uint32_t id = nil;
    };
    static_assert(sizeof(entry) == 8);

    static constexpr std::size_t smallest_capacity = 8;
    static constexpr std::size_t largest_capacity = std::size_t{1} << 32; // beyond it 32 hash bits name no more places
    static constexpr std::size_t largest_kept = std::size_t{1} << 19;

    static std::size_t limit(std::size_t capacity) { return capacity / 4 * 3; }

    std::size_t mask() const { return m_entries.size() - 1; }
    std::size_t home(std::uint32_t hash) const { return hash & mask(); }
    std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & mask(); }

    std::size_t place(std::uint32_t hash, std::uint32_t id) const {
        std::size_t at = home(hash);
        while (m_entries[at].id != id) {
            at = next(at);
        }
        return at;
    }

    void resize(std::size_t capacity) {
        std::vector<entry> old(capacity);
        old.swap(m_entries);
        m_size = 0;
        for (const entry& moved : old) {
            if (moved.id != nil) {
                insert(moved.hash, moved.id);
            }
        }
    }

    std::vector<entry> m_entries;
    std::size_t m_size = 0;
};

} // namespace tg
