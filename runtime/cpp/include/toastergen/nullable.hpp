// SQL NULL: in parameters of events, in keys of records and in the outputs of views. Payloads are never NULL.
#pragma once

#include "value.hpp"

#include <type_traits>
#include <utility>

namespace tg {

// An absent value is always T{}: equal nullables have equal members, and NULL is one key.
template <class T> struct nullable {
    using value_type = T;

    T value{};
    bool present = false;

    constexpr nullable() = default;
    constexpr nullable(const T& known, bool is_present) : value(is_present ? known : T{}), present(is_present) {}
    // Implicit: where NULL may stand, a value may.
    constexpr nullable(const T& known) : value(known), present(true) {}
    template <class U>
        requires(!std::is_same_v<T, U> && std::is_convertible_v<U, T>)
    constexpr nullable(const nullable<U>& narrower) : value(narrower.value), present(narrower.present) {}

    friend bool operator==(const nullable&, const nullable&) = default;
};

template <class T> inline constexpr bool is_nullable = false;
template <class T> inline constexpr bool is_nullable<nullable<T>> = true;

template <class T> constexpr auto to_nullable(T value) {
    if constexpr (is_nullable<T>) {
        return value;
    } else {
        return nullable<T>{value, true};
    }
}

template <class T> constexpr nullable<T> null_of() {
    return {};
}

namespace detail {

template <class T> constexpr bool is_present(const T& value) {
    if constexpr (is_nullable<T>) {
        return value.present;
    } else {
        return true;
    }
}

template <class T> constexpr const auto& plain(const T& value) {
    if constexpr (is_nullable<T>) {
        return value.value;
    } else {
        return value;
    }
}

} // namespace detail

// NULL in, NULL out: `function` sees plain values, and only if all are present. It may answer NULL itself.
template <class Function, class... Values> constexpr auto lift(Function&& function, const Values&... values) {
    using result = decltype(to_nullable(function(detail::plain(values)...)));
    if ((true && ... && detail::is_present(values))) {
        return to_nullable(function(detail::plain(values)...));
    }
    return result{};
}

template <class T> constexpr bool is_null(const T& value) {
    return !detail::is_present(value);
}

// The value of what is not NULL here.
template <class T> constexpr auto known(const T& value) {
    return detail::plain(value);
}

// Equal as keys are: NULL is the same as NULL, and so is NaN as NaN.
template <class T, class U> constexpr bool same(const T& left, const U& right) {
    if (!detail::is_present(left) || !detail::is_present(right)) {
        return detail::is_present(left) == detail::is_present(right);
    }
    if constexpr (std::is_same_v<std::decay_t<decltype(detail::plain(left))>, double>) {
        return key_bits(detail::plain(left)) == key_bits(detail::plain(right));
    } else {
        return detail::plain(left) == detail::plain(right);
    }
}

// The first present value.
template <class T, class U> constexpr auto coalesce_null(const T& value, const U& otherwise) {
    if constexpr (!is_nullable<T>) {
        return value;
    } else if constexpr (is_nullable<U>) {
        return value.present ? value : otherwise;
    } else {
        return value.present ? value.value : otherwise;
    }
}

constexpr nullable<double> divide(double dividend, double divisor) {
    return divisor == 0 ? nullable<double>{} : nullable<double>{dividend / divisor, true};
}

constexpr nullable<std::int64_t> remainder(std::int64_t dividend, std::int64_t divisor) {
    return divisor == 0 ? nullable<std::int64_t>{} : nullable<std::int64_t>{modulo(dividend, divisor), true};
}

// --- three-valued logic: a known FALSE (or TRUE) decides even beside a NULL -----------------------------------------

// What CASE WHEN asks: unknown is not true.
constexpr bool is_true(bool condition) {
    return condition;
}
constexpr bool is_true(nullable<bool> condition) {
    return condition.present && condition.value;
}

constexpr bool is_false(bool condition) {
    return !condition;
}
constexpr bool is_false(nullable<bool> condition) {
    return condition.present && !condition.value;
}

template <class... Conditions> constexpr nullable<bool> logical_and(const Conditions&... conditions) {
    const bool refuted = (false || ... || is_false(conditions));
    return {!refuted && (true && ... && is_true(conditions)), refuted || (true && ... && is_true(conditions))};
}

template <class... Conditions> constexpr nullable<bool> logical_or(const Conditions&... conditions) {
    const bool proved = (false || ... || is_true(conditions));
    return {proved, proved || (true && ... && is_false(conditions))};
}

constexpr nullable<bool> logical_not(nullable<bool> condition) {
    return {condition.present && !condition.value, condition.present};
}
constexpr bool logical_not(bool condition) {
    return !condition;
}

} // namespace tg
