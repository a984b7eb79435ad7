// Functions of strings: UTF-8, counted in code points. No locale has a say.
//
// What is a part of its argument is returned as such; only new strings take memory, and only until the event is over.
#pragma once

#include "case_tables.hpp"
#include "like.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>

namespace tg {

constexpr std::int64_t length(std::string_view text) {
    return std::count_if(text.begin(), text.end(),
                         [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u; });
}

namespace detail {

// The place `count` characters behind `at`, or the end.
constexpr std::size_t skip(std::string_view text, std::size_t at, std::int64_t count) {
    for (; count > 0 && at < text.size(); --count) {
        at = next_character(text, at);
    }
    return at;
}

constexpr std::size_t last_character(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u) {
        --at;
    }
    return at;
}

constexpr std::int64_t saturated_sum(std::int64_t left, std::int64_t right) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(left, right, &sum)) {
        return left < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    }
    return sum;
}

constexpr std::int64_t first_position(std::string_view text, std::int64_t start) {
    return start >= 0 ? start - 1 : length(text) + start;
}

inline char* append(char* out, std::string_view text) {
    if (!text.empty()) {
        std::memcpy(out, text.data(), text.size());
    }
    return out + text.size();
}

} // namespace detail

// --- parts of a string ----------------------------------------------------------------------------------------------

// Positions count from 1, negative ones from the end; a negative length lies to the left of the start.
constexpr std::string_view substring(std::string_view text, std::int64_t start) {
    return text.substr(detail::skip(text, 0, detail::first_position(text, start)));
}

constexpr std::string_view substring(std::string_view text, std::int64_t start, std::int64_t count) {
    const std::int64_t first = detail::first_position(text, start);
    const std::int64_t other = detail::saturated_sum(first, count);
    const std::int64_t low = std::max<std::int64_t>(std::min(first, other), 0);
    const std::int64_t high = std::max<std::int64_t>(std::max(first, other), 0);
    const std::size_t begin = detail::skip(text, 0, low);
    return text.substr(begin, detail::skip(text, begin, high - low) - begin);
}

// A negative count leaves out that many at the other end.
constexpr std::string_view left(std::string_view text, std::int64_t count) {
    return text.substr(0, detail::skip(text, 0, count >= 0 ? count : length(text) + count));
}

constexpr std::string_view right(std::string_view text, std::int64_t count) {
    const std::int64_t all = length(text);
    return text.substr(detail::skip(text, 0, count >= 0 ? all - count : -std::max(count, -all)));
}

// The space separators of Unicode; tabs and line ends are not among them.
inline constexpr std::string_view spaces =
    " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000";

constexpr std::string_view ltrim(std::string_view text, std::string_view characters = spaces) {
    while (!text.empty()) {
        const std::size_t end = detail::next_character(text, 0);
        if (characters.find(text.substr(0, end)) == std::string_view::npos) {
            break;
        }
        text.remove_prefix(end);
    }
    return text;
}

constexpr std::string_view rtrim(std::string_view text, std::string_view characters = spaces) {
    while (!text.empty()) {
        const std::size_t last = detail::last_character(text);
        if (characters.find(text.substr(last)) == std::string_view::npos) {
            break;
        }
        text.remove_suffix(text.size() - last);
    }
    return text;
}

constexpr std::string_view trim(std::string_view text, std::string_view characters = spaces) {
    return rtrim(ltrim(text, characters), characters);
}

// --- questions ------------------------------------------------------------------------------------------------------

constexpr bool starts_with(std::string_view text, std::string_view part) {
    return text.starts_with(part);
}
constexpr bool ends_with(std::string_view text, std::string_view part) {
    return text.ends_with(part);
}
constexpr bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
// From 1; 0 if the part is not there.
constexpr std::int64_t position(std::string_view text, std::string_view part) {
    const std::size_t at = text.find(part);
    return at == std::string_view::npos ? 0 : length(text.substr(0, at)) + 1;
}

// --- new strings ----------------------------------------------------------------------------------------------------

namespace detail {

template <std::size_t size> constexpr std::uint32_t mapped(const case_run (&runs)[size], std::uint32_t code) {
    const auto wanted = static_cast<std::int32_t>(code);
    const case_run* run = std::upper_bound(std::begin(runs), std::end(runs), wanted,
                                           [](std::int32_t value, const case_run& item) { return value < item.first; });
    if (run == std::begin(runs)) {
        return code;
    }
    --run;
    const bool inside = wanted <= run->last && (wanted - run->first) % run->step == 0;
    return inside ? static_cast<std::uint32_t>(wanted + run->distance) : code;
}

// Reads the character text[at, end); anything that is no character has a value beyond all of them.
constexpr std::uint32_t decoded(std::string_view text, std::size_t at, std::size_t end) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
    };
    switch (end - at) {
    case 2:
        return byte(0) < 0xe0 ? (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f) : ~0u;
    case 3:
        return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    case 4:
        return (byte(0) & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    default:
        return ~0u;
    }
}

inline char* encode(char* out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
    return out;
}

template <std::size_t size>
std::string_view in_case(scratch& memory, std::string_view text, const case_run (&runs)[size], char first, char last) {
    // Some characters grow in the other case, none beyond twice its bytes: ASCII stays ASCII.
    char* const begin = memory.allocate(2 * text.size());
    char* out = begin;
    for (std::size_t at = 0; at < text.size();) {
        const char byte = text[at];
        if (static_cast<unsigned char>(byte) < 0x80) {
            *out++ = byte >= first && byte <= last ? static_cast<char>(byte ^ 0x20) : byte;
            ++at;
            continue;
        }
        const std::size_t end = next_character(text, at);
        const std::uint32_t code = decoded(text, at, end);
        const std::uint32_t other = code == ~0u ? code : mapped(runs, code);
        out = other == code ? append(out, text.substr(at, end - at)) : encode(out, other);
        at = end;
    }
    memory.end_at(out);
    return {begin, static_cast<std::size_t>(out - begin)};
}

} // namespace detail

inline std::string_view upper(scratch& memory, std::string_view text) {
    return detail::in_case(memory, text, detail::upper_runs, 'a', 'z');
}

inline std::string_view lower(scratch& memory, std::string_view text) {
    return detail::in_case(memory, text, detail::lower_runs, 'A', 'Z');
}

template <class... Texts> std::string_view concat(scratch& memory, const Texts&... texts) {
    const std::size_t size = (std::size_t{0} + ... + std::string_view(texts).size());
    char* const begin = memory.allocate(size);
    [[maybe_unused]] char* out = begin;
    ((out = detail::append(out, texts)), ...);
    return {begin, size};
}

inline std::string_view replace(scratch& memory, std::string_view text, std::string_view part, std::string_view other) {
    if (part.empty()) {
        return text;
    }
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) {
        ++found;
    }
    if (found == 0) {
        return text;
    }
    const std::size_t size = text.size() - found * part.size() + found * other.size();
    char* const begin = memory.allocate(size);
    char* out = begin;
    std::size_t done = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, done)) {
        out = detail::append(detail::append(out, text.substr(done, at - done)), other);
        done = at + part.size();
    }
    detail::append(out, text.substr(done));
    return {begin, size};
}

namespace detail {

// `count` characters of filling, written again and again.
inline std::string_view padding(scratch& memory, std::int64_t count, std::string_view filling) {
    const std::int64_t width = length(filling);
    if (width == 0) {
        return {};
    }
    const std::string_view rest = left(filling, count % width);
    const auto whole = static_cast<std::size_t>(count / width);
    const std::size_t size = whole * filling.size() + rest.size();
    char* const begin = memory.allocate(size);
    char* out = begin;
    for (std::size_t i = 0; i < whole; ++i) {
        out = append(out, filling);
    }
    append(out, rest);
    return {begin, size};
}

} // namespace detail

inline std::string_view lpad(scratch& memory, std::string_view text, std::int64_t count, std::string_view filling) {
    const std::int64_t missing = count - length(text);
    return missing > 0 ? concat(memory, detail::padding(memory, missing, filling), text)
                       : left(text, std::max<std::int64_t>(count, 0));
}

inline std::string_view rpad(scratch& memory, std::string_view text, std::int64_t count, std::string_view filling) {
    const std::int64_t missing = count - length(text);
    return missing > 0 ? concat(memory, text, detail::padding(memory, missing, filling))
                       : left(text, std::max<std::int64_t>(count, 0));
}

} // namespace tg
