// SQL NULL in the outputs of views. Nothing an engine maintains is ever NULL, so this stays out of records.
#pragma once

#include "value.hpp"

#include <type_traits>
#include <utility>

namespace tg {

template <class T> struct nullable {
    using value_type = T;

    T value{};
    bool present = false;

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
