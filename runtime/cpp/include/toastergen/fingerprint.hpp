// 128 bits that stand for a row: equal rows have equal ones, and different rows practically never.
//
// Two lanes of the multiply-and-fold step of hash.hpp with secrets that are drawn anew for every ledger. For rows that
// were not chosen with the secrets at hand the chance that any two of n rows collide is about n*n / 2^129: 1e-21 for a
// billion rows.
#pragma once

#include "hash.hpp"
#include "row_values.hpp"

#include <cstring>
#include <random>

namespace tg {

struct fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend bool operator==(const fingerprint&, const fingerprint&) = default;
};

class fingerprinter {
public:
    fingerprinter() {
        std::random_device device;
        for (std::uint64_t& secret : m_secrets) {
            secret = std::uint64_t{device()} << 32 | device();
        }
    }

    // Never all zero: that is how tables mark an empty place.
    fingerprint operator()(const tg_value* values, std::size_t count) const {
        fingerprint state = start();
        for (std::size_t c = 0; c < count; ++c) {
            add(state, values[c]);
        }
        return finished(state);
    }

    fingerprint operator()(const tg_value* values, std::span<const std::uint32_t> columns) const {
        fingerprint state = start();
        for (const std::uint32_t c : columns) {
            add(state, values[c]);
        }
        return finished(state);
    }

private:
    static constexpr std::uint64_t present = 1;
    static constexpr std::uint64_t absent = std::uint64_t{1} << 63; // no decimal has this upper word

    fingerprint start() const { return {m_secrets[0], m_secrets[1]}; }

    static fingerprint finished(fingerprint state) {
        state.high |= static_cast<std::uint64_t>((state.low | state.high) == 0);
        return state;
    }

    void mix(fingerprint& state, std::uint64_t first, std::uint64_t second) const {
        state.low = detail::fold(first ^ m_secrets[2], second ^ state.low);
        state.high = detail::fold(second ^ m_secrets[3], first ^ state.high ^ m_secrets[4]);
    }

    // Every value is one step, whose second word tells NULL from all values; strings take more, their size among them.
    void add(fingerprint& state, const tg_value& value) const {
        switch (value.kind) {
        case TG_NULL:
            return mix(state, 0, absent);
        case TG_DOUBLE:
            return mix(state, key_bits(value.d), present);
        case TG_DECIMAL:
            return mix(state, value.decimal.low, static_cast<std::uint64_t>(value.decimal.high));
        case TG_STRING:
            return add_text(state, {value.s.data, value.s.size});
        default:
            return mix(state, static_cast<std::uint64_t>(value.i), present);
        }
    }

    void add_text(fingerprint& state, std::string_view text) const {
        std::size_t at = 0;
        for (; at + 16 <= text.size(); at += 16) {
            mix(state, detail::load8(text.data() + at), detail::load8(text.data() + at + 8));
        }
        std::uint64_t rest[2] = {0, 0};
        if (at < text.size()) {
            std::memcpy(rest, text.data() + at, text.size() - at);
        }
        mix(state, rest[0], rest[1]);
        mix(state, text.size(), present);
    }

    std::uint64_t m_secrets[5];
};

} // namespace tg
