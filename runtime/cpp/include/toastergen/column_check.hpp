// Do all values of a column fit? Nearly always, so each question is one pass without exits, which compilers turn into
// vector code; whoever gets a no looks again, row by row, to name the culprit.
#pragma once

#include "value.hpp"

#include <cstring>

namespace tg::detail {

// Buffers of foreign origin may be unaligned.
template <class T> T load(const void* buffer, std::size_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + index * sizeof(T), sizeof(T));
    return value;
}

inline bool all_in_range(const void* values, std::size_t rows, std::int32_t first, std::int32_t last) {
    // One unsigned comparison instead of two signed ones: what is below `first` wraps around.
    const auto base = static_cast<std::uint32_t>(first);
    const std::uint32_t span = static_cast<std::uint32_t>(last) - base;
    std::uint32_t outside = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        outside |= static_cast<std::uint32_t>(load<std::uint32_t>(values, row) - base > span);
    }
    return outside == 0;
}

inline bool all_finite(const void* values, std::size_t rows) {
    constexpr std::uint64_t exponent = 0x7ff0000000000000u; // all ones: infinite or not a number
    std::uint64_t outside = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        outside |= static_cast<std::uint64_t>((load<std::uint64_t>(values, row) & exponent) == exponent);
    }
    return outside == 0;
}

// 128-bit values with magnitudes below `limit`. Up to 18 digits the lower word decides and the upper one only repeats
// its sign.
inline bool all_below(const void* values, std::size_t rows, int128 limit) {
    std::uint64_t outside = 0;
    if (limit <= power_of_ten(18)) {
        const auto most = static_cast<std::uint64_t>(limit - 1);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto low = load<std::int64_t>(values, 2 * row);
            outside |= static_cast<std::uint64_t>(load<std::int64_t>(values, 2 * row + 1) ^ low >> 63);
            outside |= static_cast<std::uint64_t>(static_cast<std::uint64_t>(low) + most > 2 * most);
        }
    } else {
        for (std::size_t row = 0; row < rows; ++row) {
            const auto value = load<int128>(values, row);
            outside |= static_cast<std::uint64_t>(value >= limit) | static_cast<std::uint64_t>(value <= -limit);
        }
    }
    return outside == 0;
}

// `rows` strings begin at starts[0], …, and the last one ends at starts[rows]. None may be longer than 32 bits can
// tell.
template <class Offset> bool all_starts_rise(const void* starts, std::size_t rows) {
    std::uint64_t outside = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        // Unsigned: hostile offsets may be as far apart as they like.
        const auto start = static_cast<std::uint64_t>(std::int64_t{load<Offset>(starts, row)});
        const auto end = static_cast<std::uint64_t>(std::int64_t{load<Offset>(starts, row + 1)});
        outside |= (end - start) >> 32 | start >> 63 | end >> 63; // a negative size has upper bits too
    }
    return outside == 0;
}

inline bool all_ascii(const char* bytes, std::size_t size) {
    std::uint64_t high = 0;
    std::size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        high |= load<std::uint64_t>(bytes + at, 0);
    }
    for (; at < size; ++at) {
        high |= static_cast<unsigned char>(bytes[at]);
    }
    return (high & 0x8080808080808080u) == 0;
}

} // namespace tg::detail
