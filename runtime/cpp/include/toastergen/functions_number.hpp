// Functions of numbers that neither the language nor value.hpp has.
#pragma once

#include "value.hpp"

#include <cmath>
#include <cstdint>

namespace tg {

// The smallest number has no positive counterpart.
template <exact_number T> constexpr T absolute(overflow_flag& flag, T value) {
    return value < 0 ? sub(flag, T{0}, value) : value;
}

template <class T> constexpr std::int32_t sign(T value) {
    return static_cast<std::int32_t>(value > 0) - static_cast<std::int32_t>(value < 0);
}

// --- decimals to whole numbers --------------------------------------------------------------------------------------

template <exact_number T> constexpr T trunc_scaled(T value, int scale) {
    return static_cast<T>(value / power_of_ten(scale));
}

template <exact_number T> constexpr T floor_scaled(T value, int scale) {
    return static_cast<T>(trunc_scaled(value, scale) - (value < 0 && value % power_of_ten(scale) != 0 ? 1 : 0));
}

template <exact_number T> constexpr T ceil_scaled(T value, int scale) {
    return static_cast<T>(trunc_scaled(value, scale) + (value > 0 && value % power_of_ten(scale) != 0 ? 1 : 0));
}

// Drops the last digits, half away from zero, and puts zeros in place of those that stood before the point.
template <exact_number T> constexpr T round_exact(overflow_flag& flag, T value, int dropped, int zeros) {
    const T rounded = rescale_down(value, dropped);
    return zeros == 0 ? rounded : rescale_up(flag, rounded, zeros);
}

// Scaled, rounded and scaled back. Where that leaves the range of a double the number is as round as it can be.
inline double round_double(double value, int places) {
    const double unit = std::pow(10.0, places < 0 ? -places : places);
    const double result = places < 0 ? std::round(value / unit) * unit : std::round(value * unit) / unit;
    if (std::isfinite(result)) {
        return result;
    }
    return places < 0 ? 0.0 : value;
}

// Towards zero; by 0 it gives 0, for whoever asks for more asks first. Dividing by -1 is left to the checked
// subtraction: the hardware traps on one dividend.
constexpr std::int64_t divide_whole(overflow_flag& flag, std::int64_t dividend, std::int64_t divisor) {
    if (divisor == 0) {
        return 0;
    }
    return divisor == -1 ? sub(flag, std::int64_t{0}, dividend) : dividend / divisor;
}

// --- the ends of a list ---------------------------------------------------------------------------------------------

namespace detail {

template <class T> constexpr bool precedes(const T& left, const T& right) {
    return left < right;
}
// NaN is greater than every number.
constexpr bool precedes(double left, double right) {
    return left < right || (left == left && right != right);
}

} // namespace detail

template <class T, class... Others> constexpr T greatest(T best, const Others&... others) {
    ((best = detail::precedes(best, others) ? T(others) : best), ...);
    return best;
}

template <class T, class... Others> constexpr T least(T best, const Others&... others) {
    ((best = detail::precedes(others, best) ? T(others) : best), ...);
    return best;
}

} // namespace tg
