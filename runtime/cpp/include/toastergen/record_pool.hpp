// Storage for the records of one map. Records are named by 32-bit ids and never move.
#pragma once

#include "unique_index.hpp"

#include <array>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

namespace tg {

template <class Record> class record_pool {
    static_assert(std::is_trivially_destructible_v<Record>, "freed records are not destroyed, only forgotten");

public:
    // A value-initialised record.
    std::uint32_t create() {
        reserve_one();
        std::uint32_t id = m_free;
        if (id != nil) {
            m_free = place(id).next_free;
        } else {
            id = m_end++;
        }
        ::new (static_cast<void*>(&place(id).record)) Record{};
        m_live[id / 64] |= std::uint64_t{1} << id % 64;
        ++m_size;
        return id;
    }

    void destroy(std::uint32_t id) {
        m_live[id / 64] &= ~(std::uint64_t{1} << id % 64);
        ::new (static_cast<void*>(&place(id).next_free)) std::uint32_t{m_free};
        m_free = id;
        --m_size;
    }

    Record& operator[](std::uint32_t id) { return place(id).record; }
    const Record& operator[](std::uint32_t id) const { return place(id).record; }

    bool is_live(std::uint32_t id) const { return id < m_end && (m_live[id / 64] >> id % 64 & 1) != 0; }
    std::size_t size() const { return m_size; }

    std::size_t bytes() const {
        return (m_first ? first_size * sizeof(slot) : 0) + m_chunks.size() * chunk_size * sizeof(slot) +
               m_chunks.capacity() * sizeof(chunk) + m_live.capacity() * sizeof(std::uint64_t);
    }

    // Forgets all records; memory is kept for the next round unless there is much of it.
    void clear() {
        const std::size_t kept = largest_kept / (chunk_size * sizeof(slot));
        if (m_chunks.size() > kept) {
            m_chunks.clear();
            m_chunks.shrink_to_fit();
            m_live.clear();
            m_live.shrink_to_fit();
        } else {
            std::fill(m_live.begin(), m_live.end(), 0);
        }
        m_free = nil;
        m_end = 0;
        m_size = 0;
    }

    // Live records in order of their ids. The current record may be destroyed, and others created, while iterating.
    class iterator {
    public:
        using value_type = Record;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        iterator(const record_pool* pool, std::uint32_t id) : m_pool(pool), m_id(id) {}

        const Record& operator*() const { return (*m_pool)[m_id]; }
        const Record* operator->() const { return &(*m_pool)[m_id]; }
        std::uint32_t id() const { return m_id; }

        iterator& operator++() {
            m_id = m_pool->live_from(std::size_t{m_id} + 1);
            return *this;
        }
        iterator operator++(int) {
            iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const iterator& other) const { return m_id == other.m_id; }
        bool operator==(std::default_sentinel_t) const { return m_id == nil; }

    private:
        const record_pool* m_pool = nullptr;
        std::uint32_t m_id = nil;
    };

    iterator begin() const { return {this, live_from(0)}; }
    std::default_sentinel_t end() const { return {}; }

private:
    union slot {
        slot() {} // which member lives here is decided by the pool
        Record record;
        std::uint32_t next_free;
    };
    using chunk = std::unique_ptr<slot[]>;

    // Many maps hold a handful of records: they pay for a small first block only.
    static constexpr std::size_t first_size = 8;
    static constexpr std::size_t chunk_size = std::bit_floor(std::max<std::size_t>(65536 / sizeof(slot), 1));
    static constexpr unsigned chunk_shift = static_cast<unsigned>(std::countr_zero(chunk_size));
    static constexpr std::size_t largest_kept = std::size_t{4} << 20;

    slot& place(std::uint32_t id) { return const_cast<slot&>(std::as_const(*this).place(id)); }
    const slot& place(std::uint32_t id) const {
        if (id < first_size) {
            return m_first[id];
        }
        const std::size_t beyond = id - first_size;
        return m_chunks[beyond >> chunk_shift][beyond & (chunk_size - 1)];
    }

    // All that can fail in `create`, before anything has changed.
    void reserve_one() {
        if (m_free != nil) {
            return;
        }
        if (m_end == nil) {
            throw std::length_error("a map cannot hold more than 4294967295 records");
        }
        if (m_end < first_size) {
            if (!m_first) {
                m_first = std::make_unique_for_overwrite<slot[]>(first_size);
            }
        } else if ((m_end - first_size) >> chunk_shift == m_chunks.size()) {
            m_chunks.push_back(std::make_unique_for_overwrite<slot[]>(chunk_size));
        }
        if (m_end / 64 == m_live.size()) {
            m_live.push_back(0);
        }
    }

    std::uint32_t live_from(std::size_t id) const {
        std::size_t word = id / 64;
        if (word >= m_live.size()) {
            return nil;
        }
        std::uint64_t bits = m_live[word] >> id % 64 << id % 64;
        while (bits == 0) {
            if (++word == m_live.size()) {
                return nil;
            }
            bits = m_live[word];
        }
        return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }

    std::unique_ptr<slot[]> m_first;
    std::vector<chunk> m_chunks;
    std::vector<std::uint64_t> m_live; // one bit per id
    std::uint32_t m_free = nil;        // most recently freed id; the chain runs through the freed records
    std::uint32_t m_end = 0;           // ids from here on were never used
    std::size_t m_size = 0;
};

} // namespace tg
