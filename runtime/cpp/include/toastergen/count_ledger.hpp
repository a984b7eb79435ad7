// How often each row is there: fingerprint -> count, 20 bytes per place.
//
// Counts may pass through zero and below while a batch is on its way; a place is given up only by `settle`.
#pragma once

#include "fingerprint.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tg {

class count_ledger {
public:
    // Adds to the count of a row; the new count. False where 64 bits cannot hold it: then nothing has changed.
    bool add(const fingerprint& row, std::int64_t weight, std::int64_t& count) {
        reserve_one();
        place& found = m_places[find(row)];
        std::int64_t sum = 0;
        if (__builtin_add_overflow(count_of(found, row), weight, &sum)) {
            return false;
        }
        m_used += found.is_free() ? 1 : 0;
        found.set(row);
        set_count(found, row, sum);
        count = sum;
        return true;
    }

    // Takes back what `add` has done; the latest change first. Cannot fail.
    void take_back(const fingerprint& row, std::int64_t weight) noexcept {
        place& found = m_places[find(row)];
        set_count(found, row, count_of(found, row) - weight);
    }

    std::int64_t count(const fingerprint& row) const { return m_used == 0 ? 0 : count_of(m_places[find(row)], row); }

    // Gives a row's place up if its count is zero.
    void settle(const fingerprint& row) noexcept {
        const std::size_t at = find(row);
        if (!m_places[at].is_free() && count_of(m_places[at], row) == 0) {
            m_wide.erase(row);
            erase(at);
        }
    }

    void prefetch(const fingerprint& row) const {
        if (!m_places.empty()) {
            __builtin_prefetch(&m_places[row.low & mask()]);
        }
    }

    std::size_t rows() const { return m_used; }
    std::size_t bytes() const {
        constexpr std::size_t node = sizeof(std::pair<const fingerprint, std::int64_t>) + 2 * sizeof(void*);
        return m_places.capacity() * sizeof(place) + m_wide.size() * node;
    }

private:
    // Words of 32 bits, so that 20 bytes are 20 bytes.
    struct place {
        std::uint32_t words[4] = {};
        std::int32_t count = 0;

        bool is_free() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
        bool holds(const fingerprint& row) const { return std::memcmp(words, &row, sizeof row) == 0; }
        void set(const fingerprint& row) { std::memcpy(words, &row, sizeof row); }
        std::uint64_t low() const { return std::uint64_t{words[1]} << 32 | words[0]; }
    };
    static_assert(sizeof(place) == 20 && sizeof(fingerprint) == 16);
    static_assert(std::endian::native == std::endian::little, "low() reads the first half of a fingerprint");

    struct low_word {
        std::size_t operator()(const fingerprint& row) const { return row.low; }
    };

    // Stands in a place whose count needs more than 32 bits and is in `m_wide`.
    static constexpr std::int32_t elsewhere = std::numeric_limits<std::int32_t>::min();
    static constexpr std::size_t smallest = 16;

    std::size_t mask() const { return m_places.size() - 1; }
    std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & mask(); }

    // The place of a row, or the free one where it belongs. There is always a free one.
    std::size_t find(const fingerprint& row) const {
        std::size_t at = row.low & mask();
        while (!m_places[at].is_free() && !m_places[at].holds(row)) {
            at = next(at);
        }
        return at;
    }

    std::int64_t count_of(const place& found, const fingerprint& row) const {
        return found.count == elsewhere ? m_wide.at(row) : found.count;
    }

    void set_count(place& found, const fingerprint& row, std::int64_t count) {
        const bool is_narrow = count > elsewhere && count <= std::numeric_limits<std::int32_t>::max();
        if (found.count == elsewhere || !is_narrow) {
            m_wide[row] = count; // and it stays there until the place is given up: taking a change back cannot fail
            found.count = elsewhere;
        } else {
            found.count = static_cast<std::int32_t>(count);
        }
    }

    // Followers move back, so that no marks are left behind.
    void erase(std::size_t hole) {
        for (std::size_t at = next(hole); !m_places[at].is_free(); at = next(at)) {
            if (distance(m_places[at].low() & mask(), at) >= distance(hole, at)) {
                m_places[hole] = m_places[at];
                hole = at;
            }
        }
        m_places[hole] = {};
        --m_used;
    }

    void reserve_one() {
        if (m_used + 1 <= m_places.size() / 4 * 3) {
            return;
        }
        std::vector<place> old(std::max(smallest, m_places.size() * 2));
        old.swap(m_places);
        for (const place& moved : old) {
            if (!moved.is_free()) {
                std::size_t at = moved.low() & mask();
                while (!m_places[at].is_free()) {
                    at = next(at);
                }
                m_places[at] = moved;
            }
        }
    }

    std::vector<place> m_places;
    std::unordered_map<fingerprint, std::int64_t, low_word> m_wide;
    std::size_t m_used = 0;
};

} // namespace tg
