// Doubles of two words: the unevaluated sum of two doubles, about 106 bits. Products of sums travel in them from map to
// map; rounded to one word on the way, 1e6 + 0.1 would lose digits of the 0.1 that no delete of the 1e6 brings back.
//
// The algorithms and their bounds are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic" (2017); u is 2^-53. They need every operation rounded as it is written, so
// engines are compiled without contraction.
#pragma once

#include <cmath>

namespace tg {

// Normalised: `high` is the sum rounded to one double. `low` is 0 beside an infinity or NaN.
struct double_word {
    double high = 0;
    double low = 0;

    friend bool operator==(const double_word&, const double_word&) = default;
};

constexpr double_word operator-(double_word value) {
    return {-value.high, -value.low};
}

namespace detail {

// left + right exactly, where |left| >= |right| or left is 0.
constexpr double_word ordered_sum(double left, double right) {
    const double sum = left + right;
    return {sum, right - (sum - left)};
}

// left + right exactly.
constexpr double_word exact_sum(double left, double right) {
    const double sum = left + right;
    const double added = sum - left;
    return {sum, (left - (sum - added)) + (right - added)};
}

// left * right exactly, unless the error is too small for a double.
inline double_word exact_product(double left, double right) {
    const double product = left * right;
    return {product, std::fma(left, right, -product)};
}

// Products of finite words that stay finite; 2 u^2 and 4 u^2.
inline double_word times(double left, double right) {
    return exact_product(left, right);
}
inline double_word times(double_word left, double right) {
    const double_word lead = exact_product(left.high, right);
    return ordered_sum(lead.high, std::fma(left.low, right, lead.low));
}
inline double_word times(double left, double_word right) {
    return times(right, left);
}
inline double_word times(double_word left, double_word right) {
    const double_word lead = exact_product(left.high, right.high);
    const double crossed = std::fma(left.high, right.low, left.low * right.low);
    return ordered_sum(lead.high, lead.low + std::fma(left.low, right.high, crossed));
}

constexpr double leading(double value) {
    return value;
}
constexpr double leading(double_word value) {
    return value.high;
}

template <class Product> constexpr Product times_all(Product product) {
    return product;
}
template <class Product, class Next, class... Rest> double_word times_all(Product product, Next next, Rest... rest) {
    return times_all(times(product, next), rest...);
}

} // namespace detail

// 2 u^2, and exact where the sum fits two words that touch: what is added and taken away again is gone. One look at the
// end is enough for infinities: the error terms beside them are NaN and would hide them.
inline double_word operator+(double_word left, double right) {
    const double_word lead = detail::exact_sum(left.high, right);
    const double_word sum = detail::ordered_sum(lead.high, left.low + lead.low);
    if (!std::isfinite(sum.high)) [[unlikely]] {
        return {left.high + right, 0};
    }
    return sum;
}

// 3 u^2 of the larger operand. Where the high words cancel that is more than 3 u^2 of the result, but no more than the
// operands, rounded sums themselves, are off already; adding the low words without loss would cost nine operations
// more.
inline double_word operator+(double_word left, double_word right) {
    const double_word lead = detail::exact_sum(left.high, right.high);
    const double_word sum = detail::ordered_sum(lead.high, (left.low + right.low) + lead.low);
    if (!std::isfinite(sum.high)) [[unlikely]] {
        return {left.high + right.high, 0};
    }
    return sum;
}

// Of two or more factors, each a double or a double_word. Here, too, an infinity on the way stays one or becomes NaN.
template <class... Factors> double_word multiply(Factors... factors) {
    const double_word product = detail::times_all(factors...);
    if (!std::isfinite(product.high)) [[unlikely]] {
        return {(... * detail::leading(factors)), 0};
    }
    return product;
}

// 10 u^2 or less. The divisor is finite and not 0.
inline double_word operator/(double_word dividend, double_word divisor) {
    const double quotient = dividend.high / divisor.high;
    const double_word rest = dividend + -detail::times(divisor, quotient);
    return detail::ordered_sum(quotient, rest.high / divisor.high);
}

} // namespace tg
