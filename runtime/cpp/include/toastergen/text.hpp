// Strings inside records: 16 bytes each, short ones in place, long ones in an arena.
//
// A long string is found by offset, never by pointer, so that state can be written out and read back at another
// address.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace tg {

// Up to 12 bytes are in place. Longer strings keep their first 4 bytes here, so that most unequal strings are told
// apart without touching the arena.
struct text {
    static constexpr std::uint32_t in_place = 12;

    std::uint32_t size = 0;
    char prefix[4] = {};
    union {
        char tail[8] = {};
        std::uint64_t offset;
    };

    bool is_in_place() const { return size <= in_place; }
    // Prefix and tail are adjacent (asserted below), so 12 bytes may be read and written from here.
    const char* bytes() const { return reinterpret_cast<const char*>(this) + sizeof size; }
    char* bytes() { return reinterpret_cast<char*>(this) + sizeof size; }
};
static_assert(sizeof(text) == 16 && alignof(text) == 8);

// Blocks come in size classes, freed blocks are chained per class and used again for the next string of that class.
// Strings above a quarter chunk have a chunk to themselves, which goes back to the system with them.
class text_arena {
public:
    text store(std::string_view value) {
        if (value.size() > std::numeric_limits<std::uint32_t>::max()) {
            throw std::length_error("a string of 4 GiB or more cannot be stored");
        }
        text result;
        result.size = static_cast<std::uint32_t>(value.size());
        if (value.empty()) {
            return result;
        }
        if (result.is_in_place()) {
            std::memcpy(result.bytes(), value.data(), value.size());
            return result;
        }
        std::memcpy(result.prefix, value.data(), sizeof result.prefix);
        result.offset = allocate(value.size());
        std::memcpy(at(result.offset), value.data(), value.size());
        return result;
    }

    // Gives the bytes back and leaves an empty string.
    void release(text& value) {
        if (!value.is_in_place()) {
            value.size > largest_block ? release_own_chunk(value.offset) : release_block(value.offset, value.size);
        }
        value = text{};
    }

    // Valid while the record that holds `value` lives: short strings are read where they are.
    std::string_view view(const text& value) const {
        return {value.is_in_place() ? value.bytes() : at(value.offset), value.size};
    }

    bool equal(const text& value, std::string_view other) const {
        if (value.size != other.size()) {
            return false;
        }
        if (value.is_in_place()) {
            return equal_short(value.bytes(), other.data(), value.size);
        }
        return std::memcmp(value.prefix, other.data(), sizeof value.prefix) == 0 && view(value) == other;
    }

    std::size_t bytes() const { return m_bytes + m_chunks.capacity() * sizeof(chunk); }

    // Forgets all strings. A small first chunk is kept for the next round.
    void clear() {
        m_chunks.resize(m_chunks.empty() || m_chunks[0].size > largest_block ? 0 : 1);
        m_bytes = m_chunks.empty() ? 0 : m_chunks[0].size;
        m_current = 0;
        m_used = 0;
        m_free.fill(none);
        m_free_chunks.clear();
    }

private:
    template <class Word> static bool same(const char* left, const char* right) {
        Word words[2];
        std::memcpy(&words[0], left, sizeof(Word));
        std::memcpy(&words[1], right, sizeof(Word));
        return words[0] == words[1];
    }

    // Up to 16 bytes as two words that may overlap: a call of memcmp costs more than the rest of a lookup.
    static bool equal_short(const char* left, const char* right, std::size_t size) {
        if (size >= 8) {
            return same<std::uint64_t>(left, right) && same<std::uint64_t>(left + size - 8, right + size - 8);
        }
        if (size >= 4) {
            return same<std::uint32_t>(left, right) && same<std::uint32_t>(left + size - 4, right + size - 4);
        }
        return size == 0 ||
               (left[0] == right[0] && left[size / 2] == right[size / 2] && left[size - 1] == right[size - 1]);
    }

    struct chunk {
        std::unique_ptr<char[]> data;
        std::size_t size = 0;
    };

    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::size_t first_chunk = 1u << 10; // most maps hold few strings
    static constexpr std::size_t full_chunk = 1u << 18;
    static constexpr std::size_t largest_block = full_chunk / 4;
    static constexpr std::size_t smallest_block = 16; // holds a free-list link, and all in-place sizes are below it

    // Four classes per doubling, so that little of a block is unused.
    static constexpr unsigned class_count = 4 * 13;

    static unsigned class_of(std::size_t size) {
        const std::size_t units = std::max(size, smallest_block) - 1;
        const unsigned shift = static_cast<unsigned>(std::bit_width(units)) - 3;
        return (shift - 1) * 4 + static_cast<unsigned>(units >> shift) - 4;
    }

    static std::size_t block_size(unsigned size_class) {
        const unsigned shift = size_class / 4 + 1;
        const std::size_t exact = (std::size_t{size_class % 4} + 5) << shift;
        return (exact + 7) & ~std::size_t{7}; // links are 8 bytes wide
    }

    static std::uint64_t offset_of(std::size_t chunk_number, std::size_t position) {
        return static_cast<std::uint64_t>(chunk_number) << 32 | position;
    }

    const char* at(std::uint64_t offset) const { return m_chunks[offset >> 32].data.get() + (offset & 0xffffffffu); }
    char* at(std::uint64_t offset) { return m_chunks[offset >> 32].data.get() + (offset & 0xffffffffu); }

    std::uint64_t allocate(std::size_t size) {
        if (size > largest_block) {
            return offset_of(add_chunk(size), 0);
        }
        const unsigned size_class = class_of(size);
        if (std::uint64_t& head = m_free[size_class]; head != none) {
            const std::uint64_t offset = head;
            std::memcpy(&head, at(offset), sizeof head);
            return offset;
        }
        return cut_block(block_size(size_class));
    }

    std::uint64_t cut_block(std::size_t size) {
        if (m_current >= m_chunks.size() || m_chunks[m_current].size - m_used < size) {
            const std::size_t grown = std::clamp(m_bytes, first_chunk, full_chunk);
            const std::size_t number = add_chunk(std::max(grown, size));
            m_current = number;
            m_used = 0;
        }
        const std::uint64_t offset = offset_of(m_current, m_used);
        m_used += size;
        return offset;
    }

    std::size_t add_chunk(std::size_t size) {
        auto data = std::make_unique_for_overwrite<char[]>(size);
        std::size_t number = m_chunks.size();
        if (m_free_chunks.empty()) {
            m_chunks.emplace_back();
            m_free_chunks.reserve(m_chunks.capacity()); // so that giving a chunk back cannot fail
        } else {
            number = m_free_chunks.back();
            m_free_chunks.pop_back();
        }
        m_chunks[number] = {std::move(data), size};
        m_bytes += size;
        return number;
    }

    void release_block(std::uint64_t offset, std::size_t size) {
        std::uint64_t& head = m_free[class_of(size)];
        std::memcpy(at(offset), &head, sizeof head);
        head = offset;
    }

    void release_own_chunk(std::uint64_t offset) {
        chunk& own = m_chunks[offset >> 32];
        m_bytes -= own.size;
        own = {};
        m_free_chunks.push_back(static_cast<std::size_t>(offset >> 32));
    }

    static constexpr std::array<std::uint64_t, class_count> empty_lists() {
        std::array<std::uint64_t, class_count> lists{};
        lists.fill(none);
        return lists;
    }

    std::vector<chunk> m_chunks;
    std::vector<std::size_t> m_free_chunks;
    std::array<std::uint64_t, class_count> m_free = empty_lists();
    std::size_t m_current = 0; // the chunk that blocks are cut from, and how far
    std::size_t m_used = 0;
    std::size_t m_bytes = 0;
};

} // namespace tg
