// Numbers of the engine: checked arithmetic, decimal scales, and the accumulators behind payload slots.
//
// Overflow is noted in a flag and the result wraps. State therefore stays a ring modulo 2^n, and a batch that
// overflowed is undone exactly by applying its negation; an exception in the middle of a trigger could not be undone
// like that.
#pragma once

#include "double_word.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace tg {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

// std::numeric_limits knows __int128 only in GNU mode; engines are compiled as standard C++.
inline constexpr int128 int128_max = static_cast<int128>(~uint128{0} >> 1);
inline constexpr int128 int128_min = -int128_max - 1;
inline constexpr int max_scale = 38;

struct overflow_flag {
    bool set = false;
    bool unreadable = false; // because a CAST met a text that is no value of its type
};

template <class T>
concept exact_number = std::same_as<T, std::int64_t> || std::same_as<T, int128>;

template <exact_number T> constexpr T add(overflow_flag& flag, T left, T right) {
    T result;
    flag.set |= __builtin_add_overflow(left, right, &result);
    return result;
}

template <exact_number T> constexpr T sub(overflow_flag& flag, T left, T right) {
    T result;
    flag.set |= __builtin_sub_overflow(left, right, &result);
    return result;
}

constexpr std::int64_t mul(overflow_flag& flag, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    flag.set |= __builtin_mul_overflow(left, right, &result);
    return result;
}

namespace detail {

// Apart and never inlined: it divides, and rarely runs. Not the builtin: for 128 bits some compilers turn it into a
// call that their default runtime library lacks.
[[gnu::noinline, gnu::cold]] constexpr int128 mul_wide(overflow_flag& flag, int128 left, int128 right) {
    const auto result = static_cast<int128>(static_cast<uint128>(left) * static_cast<uint128>(right));
    if (left != 0) {
        const bool smallest = left == -1 && right == int128_min;
        flag.set |= smallest || (left != -1 && result / left != right);
    }
    return result;
}

} // namespace detail

// Nearly all operands fit one word, and the product of two words is one instruction that cannot overflow.
constexpr int128 mul(overflow_flag& flag, int128 left, int128 right) {
    const auto short_left = static_cast<std::int64_t>(left);
    const auto short_right = static_cast<std::int64_t>(right);
    if (short_left == left && short_right == right) [[likely]] {
        return static_cast<int128>(short_left) * short_right;
    }
    return detail::mul_wide(flag, left, right);
}

// Floating values have infinities for what does not fit; the flag is a courtesy to generic callers.
constexpr double add(overflow_flag&, double left, double right) {
    return left + right;
}
constexpr double sub(overflow_flag&, double left, double right) {
    return left - right;
}
constexpr double mul(overflow_flag&, double left, double right) {
    return left * right;
}

// SQL's %: the sign follows the dividend. A zero divisor has no answer; callers that can show NULL use `remainder`
// of nullable.hpp, all others get 0, so that a row with a zero divisor adds nothing.
constexpr std::int64_t modulo(std::int64_t dividend, std::int64_t divisor) {
    // INT64_MIN % -1 traps on common machines although its answer is 0.
    return divisor == 0 || divisor == -1 ? 0 : dividend % divisor;
}

// --- decimal scales -------------------------------------------------------------------------------------------------

inline constexpr auto powers_of_ten = [] {
    std::array<int128, max_scale + 1> table{};
    table[0] = 1;
    for (std::size_t i = 1; i < table.size(); ++i) {
        table[i] = table[i - 1] * 10;
    }
    return table;
}();

constexpr int128 power_of_ten(int places) {
    return powers_of_ten[static_cast<std::size_t>(places)];
}

template <class T> constexpr T narrow(overflow_flag& flag, int128 value);

template <> constexpr std::int64_t narrow<std::int64_t>(overflow_flag& flag, int128 value) {
    const auto result = static_cast<std::int64_t>(value);
    flag.set |= result != value;
    return result;
}

template <> constexpr int128 narrow<int128>(overflow_flag&, int128 value) {
    return value;
}

template <exact_number T> constexpr T rescale_up(overflow_flag& flag, T value, int places) {
    if constexpr (std::same_as<T, std::int64_t>) {
        if (places <= 18) {
            return mul(flag, value, static_cast<std::int64_t>(power_of_ten(places)));
        }
    }
    return narrow<T>(flag, mul(flag, static_cast<int128>(value), power_of_ten(places)));
}

// Rounds half away from zero, as SQL does for casts to fewer places.
template <exact_number T> constexpr T rescale_down(T value, int places) {
    if (places > max_scale) {
        return 0; // less than half a unit, whatever the value
    }
    const int128 unit = power_of_ten(places);
    const int128 quotient = value / unit;
    const int128 rest = value % unit;
    const int128 distance = rest < 0 ? -rest : rest;
    const bool away = distance != 0 && distance >= unit - distance;
    return static_cast<T>(quotient + (away ? (value < 0 ? -1 : 1) : 0));
}

constexpr double to_double(int128 value, int scale) {
    if (scale == 0) {
        return static_cast<double>(value);
    }
    const int128 unit = power_of_ten(scale);
    constexpr int128 exact = int128{1} << 53;
    if (value < exact && value > -exact && scale <= 22) {
        return static_cast<double>(value) / static_cast<double>(unit); // both exact: one rounding
    }
    return static_cast<double>(value / unit) + static_cast<double>(value % unit) / static_cast<double>(unit);
}

constexpr double to_double(std::int64_t value, int scale) {
    return to_double(static_cast<int128>(value), scale);
}

// The product with the power of ten, rounded: halves away from zero, as DuckDB does it.
template <exact_number T> T from_double(overflow_flag& flag, double value, int scale) {
    const double scaled = std::round(value * static_cast<double>(power_of_ten(scale)));
    constexpr double limit = 0x1p127;
    if (!(std::fabs(scaled) < limit)) {
        flag.set = true;
        return 0;
    }
    return narrow<T>(flag, static_cast<int128>(scaled));
}

// --- payload slots --------------------------------------------------------------------------------------------------

// A floating sum kept in two words. Inserting and later deleting the same values leaves (very nearly always) exactly
// zero, and long streams do not drift; a plain double does both badly.
class compensated {
public:
    void add(double value) { m_words = m_words + value; }
    void add(double_word value) { m_words = m_words + value; }

    double value() const { return m_words.high; } // rounded to one word, for views
    double_word words() const { return m_words; } // whole, for other sums

private:
    double_word m_words;
};
static_assert(sizeof(compensated) == 16);

constexpr void accumulate(overflow_flag& flag, std::int64_t& slot, std::int64_t value) {
    slot = add(flag, slot, value);
}
constexpr void accumulate(overflow_flag& flag, int128& slot, int128 value) {
    slot = add(flag, slot, value);
}
inline void accumulate(overflow_flag&, compensated& slot, double value) {
    slot.add(value);
}
inline void accumulate(overflow_flag&, compensated& slot, double_word value) {
    slot.add(value);
}
inline void accumulate(overflow_flag&, compensated& slot, const compensated& value) {
    slot.add(value.words());
}

inline double_word operator-(const compensated& slot) {
    return -slot.words();
}

constexpr bool is_zero(std::int64_t slot) {
    return slot == 0;
}
constexpr bool is_zero(int128 slot) {
    return slot == 0;
}
inline bool is_zero(const compensated& slot) {
    return slot.value() == 0;
}

constexpr std::int64_t read(std::int64_t slot) {
    return slot;
}
constexpr int128 read(int128 slot) {
    return slot;
}
inline double read(const compensated& slot) {
    return slot.value();
}

// --- products of floating slots -------------------------------------------------------------------------------------

constexpr double_word to_double_word(std::int64_t value) {
    constexpr std::int64_t limit = std::int64_t{1} << std::numeric_limits<double>::digits;
    if (-limit <= value && value <= limit) [[likely]] {
        return {static_cast<double>(value), 0};
    }
    constexpr std::int64_t unit = std::int64_t{1} << 32;
    const std::int64_t rest = value % unit;
    return detail::ordered_sum(static_cast<double>(value - rest), static_cast<double>(rest));
}

// A decimal: the integer exactly up to 106 bits, then divided by its power of ten.
inline double_word to_double_word(int128 value, int scale) {
    const auto exactly = [](int128 whole) {
        constexpr int128 unit = int128{1} << 62;
        const double_word low = to_double_word(static_cast<std::int64_t>(whole % unit));
        const double_word high = to_double_word(static_cast<std::int64_t>(whole / unit % unit));
        const double_word top = to_double_word(static_cast<std::int64_t>(whole / unit / unit));
        return detail::times(detail::times(top, 0x1p62) + high, 0x1p62) + low;
    };
    return scale == 0 ? exactly(value) : exactly(value) / exactly(power_of_ten(scale));
}

namespace detail {

constexpr double factor(double value) {
    return value;
}
constexpr double factor(std::int32_t value) {
    return value;
}
constexpr double_word factor(std::int64_t value) {
    return to_double_word(value);
}
constexpr double_word factor(double_word value) {
    return value;
}
inline double_word factor(const compensated& slot) {
    return slot.words();
}

} // namespace detail

// What an event adds to a floating slot, factor by factor: slots come whole, integers exactly.
template <class... Factors> double_word product(const Factors&... factors) {
    return multiply(detail::factor(factors)...);
}

// --- floating keys --------------------------------------------------------------------------------------------------

// Equal keys must have equal bits: one zero, one NaN.
constexpr double normalise(double key) {
    if (key == 0) {
        return 0.0;
    }
    return key != key ? std::numeric_limits<double>::quiet_NaN() : key;
}

constexpr std::uint64_t key_bits(double key) {
    return std::bit_cast<std::uint64_t>(normalise(key));
}

} // namespace tg
