// SQL LIKE over UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace tg {

namespace detail {

// The end of the character that starts at `at`. Bytes that are no valid UTF-8 count as characters too, so that this
// always moves forward and never leaves the text.
constexpr std::size_t next_character(std::string_view text, std::size_t at) {
    do {
        ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u);
    return at;
}

} // namespace detail

// `%` matches any run, `_` one character, `escape` makes the next byte of the pattern plain ('\0': there is none). An
// escape at the very end stands for itself.
//
// Each `%` takes as little as possible and only the last one seen is ever extended: what an earlier one matched is
// as good as any other match, because everything between the two is fixed. No recursion, no memory.
constexpr bool like(std::string_view text, std::string_view pattern, char escape) {
    constexpr std::size_t none = std::string_view::npos;
    std::size_t at = 0;
    std::size_t wanted = 0;
    std::size_t after_run = none; // pattern position behind the last %
    std::size_t run_end = 0;      // where the run it matches ends
    while (true) {
        const bool escaped = escape != '\0' && wanted + 1 < pattern.size() && pattern[wanted] == escape;
        if (!escaped && wanted < pattern.size() && pattern[wanted] == '%') {
            after_run = ++wanted;
            run_end = at;
            if (wanted == pattern.size()) {
                return true;
            }
            continue;
        }
        if (at < text.size() && wanted < pattern.size()) {
            const bool any = !escaped && pattern[wanted] == '_';
            if (any || pattern[wanted + (escaped ? 1 : 0)] == text[at]) {
                at = any ? detail::next_character(text, at) : at + 1;
                wanted += escaped ? 2 : 1;
                continue;
            }
        } else if (at == text.size() && wanted == pattern.size()) {
            return true;
        }
        if (after_run == none || run_end >= text.size()) {
            return false;
        }
        run_end = detail::next_character(text, run_end);
        at = run_end;
        wanted = after_run;
    }
}

} // namespace tg
