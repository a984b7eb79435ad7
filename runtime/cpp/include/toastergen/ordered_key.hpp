// Keys of ordered indexes: how their fields are passed, stored and compared, and the bounds of ranges over them.
#pragma once

#include "fields.hpp"

#include <cstddef>
#include <tuple>

namespace tg {

// The fields of a key, most significant first: bool, std::int32_t, std::int64_t, int128, double or text.
template <class... Fields> struct ordered_key {};

// An end of a range. A bound may name only the leading fields of a key: all keys that agree with it there then lie on
// the bound, and are inside together or outside together.
template <class... Fields> struct bound {
    std::tuple<Fields...> fields;
    bool inside;
};
struct unbounded_end {};

inline constexpr unbounded_end unbounded{};

// An end of a range, given by a question to keys: whether they are inside. Once it is answered yes it stays yes for all
// larger keys (`from_where`), or for all smaller ones (`until_where`).
template <class Inside> struct from_where {
    Inside inside;
};
template <class Inside> struct until_where {
    Inside inside;
};
template <class Inside> from_where(Inside) -> from_where<Inside>;
template <class Inside> until_where(Inside) -> until_where<Inside>;

template <class... Fields> constexpr bound<Fields...> inclusive(Fields... fields) {
    return {{fields...}, true};
}
template <class... Fields> constexpr bound<Fields...> exclusive(Fields... fields) {
    return {{fields...}, false};
}

namespace detail {

// A tuple that is trivially copyable, which std::tuple is not: nodes are moved, and one day saved, as bytes.
template <class... Types> struct pack {};
template <class First, class... Rest> struct pack<First, Rest...> {
    First first{};
    [[no_unique_address]] pack<Rest...> rest{};
};

template <std::size_t I, class Pack> constexpr auto& at(Pack& values) {
    if constexpr (I == 0) {
        return values.first;
    } else {
        return at<I - 1>(values.rest);
    }
}

template <std::size_t N, class Visit> constexpr void for_each_place(Visit&& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (visit.template operator()<I>(), ...);
    }(std::make_index_sequence<N>{});
}

// Whole numbers are stored as they are.
template <class Field> struct key_field {
    static_assert(std::is_same_v<Field, bool> || std::is_same_v<Field, std::int32_t> || exact_number<Field>,
                  "an ordered key is made of bool, int32, int64, int128, double and text");
    using param = Field;
    using probe = Field;
    using stored = Field;

    static probe to_probe(param value) { return value; }
    template <class Arena> static stored store(Arena&, param value) { return value; }
    template <class Arena> static param read(const Arena&, stored value) { return value; }
    template <class Arena> static int compare(const Arena&, stored left, probe right) {
        return (left > right) - (left < right);
    }
    // Comparisons of numbers are written without branches: a search cannot foresee their outcome.
    template <class Arena> static bool precedes(const Arena&, stored left, probe right, bool after) {
        return (left < right) | (after & (left == right));
    }
};

// Doubles are stored as integers of the same order. One zero and one NaN remain, and NaN comes last, as in SQL's
// ORDER BY: its bits lie above those of infinity.
template <> struct key_field<double> {
    using param = double;
    using probe = std::int64_t;
    using stored = std::int64_t;

    static constexpr std::int64_t flip(std::int64_t bits) {
        return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
    }
    static probe to_probe(param value) { return flip(std::bit_cast<std::int64_t>(normalise(value))); }
    template <class Arena> static stored store(Arena&, param value) { return to_probe(value); }
    template <class Arena> static param read(const Arena&, stored value) { return std::bit_cast<double>(flip(value)); }
    template <class Arena> static int compare(const Arena& arena, stored left, probe right) {
        return key_field<std::int64_t>::compare(arena, left, right);
    }
    template <class Arena> static bool precedes(const Arena& arena, stored left, probe right, bool after) {
        return key_field<std::int64_t>::precedes(arena, left, right, after);
    }
};

// Strings are ordered by their bytes.
template <> struct key_field<text> {
    using param = std::string_view;
    using probe = std::string_view;
    using stored = text;

    static probe to_probe(param value) { return value; }
    static stored store(text_arena& arena, param value) { return arena.store(value); }
    static param read(const text_arena& arena, const stored& value) { return arena.view(value); }
    static int compare(const text_arena& arena, const stored& left, probe right) {
        // Most strings part within the four bytes at hand; the arena costs a cache miss.
        const std::size_t near = std::min<std::size_t>({sizeof left.prefix, left.size, right.size()});
        if (near != 0) {
            if (const int order = std::memcmp(left.prefix, right.data(), near); order != 0) {
                return order;
            }
        }
        return arena.view(left).compare(right);
    }
    static bool precedes(const text_arena& arena, const stored& left, probe right, bool after) {
        const int order = compare(arena, left, right);
        return order < 0 || (after && order == 0);
    }
};

// A single field is passed as itself, several as a tuple.
template <class... Params> struct key_params {
    using type = std::tuple<Params...>;
};
template <class Param> struct key_params<Param> {
    using type = Param;
};

template <class Key> struct key_codec;

template <class... Fields> struct key_codec<ordered_key<Fields...>> {
    static constexpr std::size_t size = sizeof...(Fields);
    static constexpr bool has_text = (false || ... || std::is_same_v<Fields, text>);
    using param = typename key_params<typename key_field<Fields>::param...>::type;
    using stored = pack<typename key_field<Fields>::stored...>;
    using probe = std::tuple<typename key_field<Fields>::probe...>;
    template <std::size_t I> using field = key_field<std::tuple_element_t<I, std::tuple<Fields...>>>;

    static auto as_tuple(const param& key) {
        if constexpr (size == 1) {
            return std::tuple<param>(key);
        } else {
            return key;
        }
    }

    // Of a whole key or its leading fields. Braces: a value that its field cannot hold must not become another one.
    template <class... Values> static auto to_probe(const std::tuple<Values...>& values) {
        static_assert(sizeof...(Values) >= 1 && sizeof...(Values) <= size, "more fields than the key has");
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tuple<typename field<I>::probe...>(
                field<I>::to_probe(typename field<I>::param{std::get<I>(values)})...);
        }(std::index_sequence_for<Values...>{});
    }

    template <class Arena> static stored store(Arena& arena, const param& key) {
        const auto values = as_tuple(key);
        stored result{};
        try {
            for_each_place<size>([&]<std::size_t I>() { at<I>(result) = field<I>::store(arena, std::get<I>(values)); });
        } catch (...) {
            release(arena, result);
            throw;
        }
        return result;
    }

    template <class Arena> static void release(Arena& arena, stored& key) {
        for_each_place<size>([&]<std::size_t I>() {
            if constexpr (std::is_same_v<typename field<I>::stored, text>) {
                arena.release(at<I>(key));
            }
        });
    }

    template <class Arena> static param read(const Arena& arena, const stored& key) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return param(field<I>::read(arena, at<I>(key))...);
        }(std::index_sequence_for<Fields...>{});
    }

    // Does the key lie before the probe or, if `after`, on it?
    template <std::size_t I = 0, class Arena, class Probe>
    static bool precedes(const Arena& arena, const stored& key, const Probe& probe, bool after) {
        if constexpr (I + 1 == std::tuple_size_v<Probe>) {
            return field<I>::precedes(arena, at<I>(key), std::get<I>(probe), after);
        } else {
            const int order = field<I>::compare(arena, at<I>(key), std::get<I>(probe));
            return order != 0 ? order < 0 : precedes<I + 1>(arena, key, probe, after);
        }
    }

    template <class Arena> static bool equal(const Arena& arena, const stored& key, const probe& other) {
        bool same = true;
        for_each_place<size>(
            [&]<std::size_t I>() { same = same && field<I>::compare(arena, at<I>(key), std::get<I>(other)) == 0; });
        return same;
    }
};

// A cut falls between two neighbouring keys and divides an index into left and right. Both ends of a range are cuts.
template <class Probe> struct cut {
    Probe probe;
    bool after; // keys equal to the probe are on the left
};
template <class Inside> struct asking_cut {
    const Inside& inside;
    bool left; // the keys inside are on the left
};
struct front_cut {};
struct back_cut {};

template <class Codec, class... Values> auto low_cut(const bound<Values...>& low) {
    auto probe = Codec::to_probe(low.fields);
    return cut<decltype(probe)>{probe, !low.inside};
}
template <class Codec> front_cut low_cut(unbounded_end) {
    return {};
}
template <class Codec, class Inside> auto low_cut(const from_where<Inside>& low) {
    return asking_cut{low.inside, false};
}
template <class Codec, class Inside> auto high_cut(const until_where<Inside>& high) {
    return asking_cut{high.inside, true};
}
template <class Codec, class... Values> auto high_cut(const bound<Values...>& high) {
    auto probe = Codec::to_probe(high.fields);
    return cut<decltype(probe)>{probe, high.inside};
}
template <class Codec> back_cut high_cut(unbounded_end) {
    return {};
}

// How many of these ascending keys lie left of the cut. Numbers of one word are all compared, several at a time, which
// beats the dependent steps of a binary search at the sizes nodes have.
template <class Codec, class Arena, class Probe>
std::uint32_t left_of(const Arena& arena, const typename Codec::stored* keys, std::uint32_t size,
                      const cut<Probe>& place) {
    const auto left = [&](std::uint32_t i) {
        return std::uint32_t{Codec::precedes(arena, keys[i], place.probe, place.after)};
    };
    std::uint32_t base = 0;
    if constexpr (Codec::size == 1 && sizeof(typename Codec::stored) <= 8) {
        for (std::uint32_t i = 0; i < size; ++i) {
            base += left(i);
        }
        return base;
    } else {
        while (size > 1) {
            const std::uint32_t half = size / 2;
            base += half * left(base + half - 1);
            size -= half;
        }
        return size == 1 ? base + left(base) : base;
    }
}
template <class Codec, class Arena, class Inside>
std::uint32_t left_of(const Arena& arena, const typename Codec::stored* keys, std::uint32_t size,
                      const asking_cut<Inside>& place) {
    std::uint32_t base = 0;
    while (size > 0) {
        const std::uint32_t half = size / 2;
        if (place.inside(Codec::read(arena, keys[base + half])) == place.left) {
            base += half + 1;
            size -= half + 1;
        } else {
            size = half;
        }
    }
    return base;
}
template <class Codec, class Arena>
std::uint32_t left_of(const Arena&, const typename Codec::stored*, std::uint32_t, front_cut) {
    return 0;
}
template <class Codec, class Arena>
std::uint32_t left_of(const Arena&, const typename Codec::stored*, std::uint32_t size, back_cut) {
    return size;
}

} // namespace detail

} // namespace tg
