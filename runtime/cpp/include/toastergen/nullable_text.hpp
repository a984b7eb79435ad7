// Strings inside records that can be NULL: no larger than those that cannot.
#pragma once

#include "nullable.hpp"
#include "text.hpp"

namespace tg {

// NULL is an empty string with a mark where every empty string has a zero.
struct nullable_text {
    text stored;

    bool is_null() const { return stored.size == 0 && stored.prefix[0] != 0; }

    static nullable_text null() {
        nullable_text result;
        result.stored.prefix[0] = 1;
        return result;
    }
};
static_assert(sizeof(nullable_text) == sizeof(text));

inline nullable<std::string_view> view_of(const text_arena& arena, const nullable_text& value) {
    return value.is_null() ? nullable<std::string_view>{} : nullable<std::string_view>{arena.view(value.stored)};
}

inline bool equal(const text_arena& arena, const nullable_text& value, const nullable<std::string_view>& other) {
    return value.is_null() != other.present && (!other.present || arena.equal(value.stored, other.value));
}

inline nullable_text store(text_arena& arena, const nullable<std::string_view>& value) {
    return value.present ? nullable_text{arena.store(value.value)} : nullable_text::null();
}

} // namespace tg
