// Memory for the strings an event computes and nobody keeps: maps copy the keys they store.
//
// Allocation moves a pointer; a mark gives back everything that was allocated after it. Marks nest as scopes do, so an
// event that causes others needs no care.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace tg {

class scratch {
public:
    char* allocate(std::size_t size) {
        while (m_current < m_chunks.size() && m_chunks[m_current].size - m_used < size) {
            ++m_current;
            m_used = 0;
        }
        if (m_current == m_chunks.size()) {
            const std::size_t wanted = std::max({size, first_chunk, m_chunks.empty() ? 0 : 2 * m_chunks.back().size});
            m_chunks.push_back({std::make_unique_for_overwrite<char[]>(wanted), wanted});
        }
        char* const result = m_chunks[m_current].data.get() + m_used;
        m_used += size;
        return result;
    }

    // The last allocation ends here: what lies behind is free again.
    void end_at(const char* end) { m_used = static_cast<std::size_t>(end - m_chunks[m_current].data.get()); }

    std::size_t bytes() const {
        std::size_t total = 0;
        for (const chunk& item : m_chunks) {
            total += item.size;
        }
        return total;
    }

private:
    friend class scratch_mark;

    struct chunk {
        std::unique_ptr<char[]> data;
        std::size_t size;
    };

    static constexpr std::size_t first_chunk = 1u << 10;
    static constexpr std::size_t kept_chunk = 1u << 20; // one event with a huge string should not cost memory forever

    void rewind(std::size_t current, std::size_t used) {
        m_current = current;
        m_used = used;
        if (current == 0 && used == 0) {
            while (!m_chunks.empty() && m_chunks.back().size > kept_chunk) {
                m_chunks.pop_back();
            }
        }
    }

    std::vector<chunk> m_chunks; // each larger than the one before
    std::size_t m_current = 0;   // the chunk that is cut, and how far
    std::size_t m_used = 0;
};

class scratch_mark {
public:
    explicit scratch_mark(scratch& memory) : m_memory(memory), m_current(memory.m_current), m_used(memory.m_used) {}
    scratch_mark(const scratch_mark&) = delete;
    scratch_mark& operator=(const scratch_mark&) = delete;
    ~scratch_mark() { m_memory.rewind(m_current, m_used); }

private:
    scratch& m_memory;
    std::size_t m_current;
    std::size_t m_used;
};

} // namespace tg
