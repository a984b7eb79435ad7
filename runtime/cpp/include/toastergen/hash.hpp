// Hashing of keys, field by field (padding between fields is never read).
//
// The mixing step multiplies to 128 bits and folds the halves together: one multiplication, and both low and high bits
// of the input reach all bits that an index uses, so that sequential and strided keys spread.
#pragma once

#include "nullable.hpp"
#include "value.hpp"

#include <cstring>
#include <string_view>

namespace tg {

namespace detail {

inline constexpr std::uint64_t hash_seed = 0x243f6a8885a308d3u; // digits of pi: nothing up the sleeve
inline constexpr std::uint64_t hash_factor = 0x9e3779b97f4a7c15u;
inline constexpr std::uint64_t hash_other = 0xa4093822299f31d1u;

constexpr std::uint64_t fold(std::uint64_t left, std::uint64_t right) {
    const uint128 product = static_cast<uint128>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load8(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

inline std::uint64_t load4(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

inline std::uint64_t load1to3(const char* from, std::size_t size) {
    const auto byte = [from](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(from[i])); };
    return byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

// All but the last 1 to 16 bytes. Not inlined: keys are mostly short, and lookups should be small.
[[gnu::noinline]] inline std::uint64_t mix_long(std::uint64_t state, const char* from, std::size_t rest) {
    for (; rest > 16; rest -= 16, from += 16) {
        state = fold(load8(from) ^ hash_other, load8(from + 8) ^ state);
    }
    return state;
}

inline std::uint64_t mix_text(std::uint64_t state, std::string_view text) {
    const char* from = text.data();
    std::size_t rest = text.size();
    if (rest > 16) {
        state = mix_long(state, from, rest);
        const std::size_t done = (rest - 1) / 16 * 16;
        from += done;
        rest -= done;
    }
    // The last 1 to 16 bytes as two words that may overlap: no loop over single bytes.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (rest >= 8) {
        first = load8(from);
        last = load8(from + rest - 8);
    } else if (rest >= 4) {
        first = load4(from);
        last = load4(from + rest - 4);
    } else if (rest > 0) {
        first = load1to3(from, rest);
    }
    // The size takes part beside the bytes, not after them: its product does not wait for anything.
    return fold(first ^ hash_other, last ^ state ^ text.size() * hash_factor);
}

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
    return fold(state ^ word, hash_factor);
}
constexpr std::uint64_t mix_field(std::uint64_t state, std::int64_t field) {
    return mix(state, static_cast<std::uint64_t>(field));
}
constexpr std::uint64_t mix_field(std::uint64_t state, std::int32_t field) {
    return mix_field(state, std::int64_t{field});
}
constexpr std::uint64_t mix_field(std::uint64_t state, bool field) {
    return mix_field(state, std::int64_t{field});
}
constexpr std::uint64_t mix_field(std::uint64_t state, double field) {
    return mix(state, key_bits(field));
}
constexpr std::uint64_t mix_field(std::uint64_t state, int128 field) {
    const auto low = static_cast<std::uint64_t>(field);
    const auto high = static_cast<std::uint64_t>(static_cast<uint128>(field) >> 64);
    return mix(mix(state, low), high + hash_other);
}
inline std::uint64_t mix_field(std::uint64_t state, std::string_view field) {
    return mix_text(state, field);
}
template <class T> constexpr std::uint64_t mix_field(std::uint64_t state, const nullable<T>& field) {
    return field.present ? mix_field(state, field.value) : mix(state, hash_other);
}

} // namespace detail

template <class... Fields> constexpr std::uint64_t hash_of(Fields... fields) {
    std::uint64_t state = detail::hash_seed;
    ((state = detail::mix_field(state, fields)), ...);
    return state;
}

// The 32 bits an index stores.
constexpr std::uint32_t short_hash(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

} // namespace tg
