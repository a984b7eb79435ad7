// Key fields of a record, as a list of pointers to its members: how to pass, hash, compare and store them.
#pragma once

#include "hash.hpp"
#include "nullable_text.hpp"
#include "text.hpp"

#include <type_traits>

namespace tg {

template <auto... Members> struct fields {};
template <class... Fields> struct slices {};

namespace detail {

template <class Pointer> struct member_of;
template <class Record, class Value> struct member_of<Value Record::*> {
    using value = Value;
};

template <auto Member> using member_value = typename member_of<decltype(Member)>::value;

template <auto Member> inline constexpr bool is_text = std::is_same_v<member_value<Member>, text>;
template <auto Member> inline constexpr bool is_nullable_text = std::is_same_v<member_value<Member>, nullable_text>;

// What callers pass for a field: its value, or a view of a string.
template <class Value> struct param_of {
    using type = Value;
};
template <> struct param_of<text> {
    using type = std::string_view;
};
template <> struct param_of<nullable_text> {
    using type = nullable<std::string_view>;
};
template <auto Member> using field_param = typename param_of<member_value<Member>>::type;

// Stands in for the arena in maps without strings.
struct no_arena {
    std::size_t bytes() const { return 0; }
    void clear() {}
};

template <auto Member, class Record, class Arena>
field_param<Member> read_field(const Arena& arena, const Record& record) {
    if constexpr (is_text<Member>) {
        return arena.view(record.*Member);
    } else if constexpr (is_nullable_text<Member>) {
        return view_of(arena, record.*Member);
    } else {
        return record.*Member;
    }
}

template <auto Member, class Record, class Arena>
bool field_equals(const Arena& arena, const Record& record, field_param<Member> value) {
    if constexpr (is_text<Member>) {
        return arena.equal(record.*Member, value);
    } else if constexpr (is_nullable_text<Member>) {
        return equal(arena, record.*Member, value);
    } else if constexpr (is_nullable<member_value<Member>>) {
        return same(record.*Member, value);
    } else if constexpr (std::is_same_v<member_value<Member>, double>) {
        return key_bits(record.*Member) == key_bits(value);
    } else {
        return record.*Member == value;
    }
}

template <auto Member, class Record, class Arena>
void write_field(Arena& arena, Record& record, field_param<Member> value) {
    if constexpr (is_text<Member>) {
        record.*Member = arena.store(value);
    } else if constexpr (is_nullable_text<Member>) {
        record.*Member = store(arena, value);
    } else if constexpr (std::is_same_v<member_value<Member>, double>) {
        record.*Member = normalise(value);
    } else if constexpr (std::is_same_v<member_value<Member>, nullable<double>>) {
        record.*Member = {normalise(value.value), value.present};
    } else {
        record.*Member = value;
    }
}

template <auto Member, class Record, class Arena> void release_field(Arena& arena, Record& record) {
    if constexpr (is_text<Member>) {
        arena.release(record.*Member);
    } else if constexpr (is_nullable_text<Member>) {
        arena.release((record.*Member).stored);
    }
}

} // namespace detail

// The default hash of a map. Tests put worse ones in its place.
struct field_hash {
    template <class... Values> std::uint32_t operator()(Values... values) const {
        return short_hash(hash_of(values...));
    }
};

} // namespace tg
