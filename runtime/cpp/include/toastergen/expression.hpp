// Small pieces that generated expressions are made of.
#pragma once

#include "value.hpp"

namespace tg {

// A 128-bit constant from its two halves: C++ has no literal that long.
constexpr int128 int128_of(std::int64_t high, std::uint64_t low) {
    return static_cast<int128>((static_cast<uint128>(static_cast<std::uint64_t>(high)) << 64) | low);
}

// The full product of two machine words cannot overflow, so it needs no check.
constexpr int128 wide_mul(std::int64_t left, std::int64_t right) {
    return static_cast<int128>(left) * right;
}

template <class T, class... Values> constexpr bool one_of(const T& value, const Values&... values) {
    return (false || ... || (value == values));
}

// CAST(… AS INT): the 64-bit value must fit in 32.
constexpr std::int32_t narrow_int(overflow_flag& flag, std::int64_t value) {
    const auto result = static_cast<std::int32_t>(value);
    flag.set |= result != value;
    return result;
}

} // namespace tg
