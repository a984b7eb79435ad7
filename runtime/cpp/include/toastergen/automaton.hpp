// Regular expressions that were made into tables when the query was compiled.
#pragma once

#include <cstddef>
#include <string_view>

namespace tg {

// State 0 has failed and state 1 has matched, whatever follows. `columns` has the column of each byte, `table` the next
// state by state and column, `accepting` a 1 for each state in which the text may end.
inline bool accepts(std::string_view text, std::size_t start, std::size_t width, std::string_view columns,
                    std::string_view table, std::string_view accepting) {
    const auto at = [](std::string_view bytes, std::size_t place) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[place]));
    };
    std::size_t state = start;
    for (const char letter : text) {
        if (state <= 1) {
            return state == 1;
        }
        state = at(table, state * width + at(columns, static_cast<unsigned char>(letter)));
    }
    return at(accepting, state) != 0;
}

} // namespace tg
