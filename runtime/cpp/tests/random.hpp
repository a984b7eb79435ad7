// Reproducible randomness: the same numbers on every machine, unlike the distributions of the standard library.
#pragma once

#include <cstdint>
#include <string>

class random_source {
public:
    explicit random_source(std::uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15u + 1) {}

    std::uint64_t next() {
        m_state ^= m_state << 13;
        m_state ^= m_state >> 7;
        m_state ^= m_state << 17;
        return m_state;
    }

    std::uint64_t below(std::uint64_t limit) { return (next() >> 11) % limit; }

    // Few distinct strings, around the border between short and long, some sharing length and prefix.
    std::string text() {
        static constexpr std::size_t sizes[] = {0, 1, 4, 11, 12, 13, 16, 17, 40, 300};
        std::string result(sizes[below(10)], 'p');
        if (!result.empty()) {
            result.back() = static_cast<char>('a' + below(4));
        }
        return result;
    }

private:
    std::uint64_t m_state;
};
