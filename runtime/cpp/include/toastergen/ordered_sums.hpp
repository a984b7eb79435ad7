// Payload slots of ordered indexes, and the sums kept for their subtrees.
#pragma once

#include "ordered_key.hpp"

namespace tg {

// The payload of an entry: std::int64_t, int128 or compensated slots.
template <class... Slots> struct ordered_slots {};

namespace detail {

// Sums of 64-bit slots have 128 bits and cannot overflow: 2^32 entries of 63 bits need 95. No partial sum, whose bounds
// depend on the shape of the tree, can thus raise an overflow that the whole sum does not have.
template <class Slot> struct slot_rule {
    static_assert(exact_number<Slot>, "a slot is an int64, an int128 or a compensated sum");
    using value = Slot;
    using change = Slot;
    using sum = int128;

    static int128 read(int128 total) { return total; }
    static int128 widen(Slot slot) { return slot; }
    static int128 negated(overflow_flag& flag, Slot slot) { return sub(flag, int128{0}, int128{slot}); }
    static bool is_negative(Slot slot) { return slot < 0; }
    static bool is_sound(int128) { return true; }
    static void merge(overflow_flag& flag, int128& total, int128 change) { total = add(flag, total, change); }
    template <class Read> static void merge_all(overflow_flag& flag, int128& total, std::size_t count, Read&& item) {
        int128 running = total;
        overflow_flag noted;
        for (std::size_t i = 0; i < count; ++i) {
            merge(noted, running, item(i));
        }
        total = running;
        flag.set |= noted.set;
    }
    // What happened to the slot, which differs from `value` if the slot wrapped: sums follow slots exactly, so that
    // undoing a change that overflowed undoes it everywhere.
    static int128 accumulate(overflow_flag& flag, Slot& slot, Slot value) {
        const int128 before = slot;
        tg::accumulate(flag, slot, value);
        return static_cast<int128>(static_cast<uint128>(int128{slot}) - static_cast<uint128>(before));
    }
};

// What is added to a compensated slot: a double, or two words.
struct double_change {
    double_change(double value) : words{value, 0} {}
    double_change(double_word value) : words(value) {}
    double_word words;
};

template <> struct slot_rule<compensated> {
    using value = double;
    using change = double_change;
    using sum = compensated;

    static double read(const compensated& total) { return total.value(); }
    static compensated widen(const compensated& slot) { return slot; }
    static compensated negated(overflow_flag&, const compensated& slot) {
        compensated result;
        result.add(-slot);
        return result;
    }
    static bool is_negative(const compensated& slot) { return !(slot.value() >= 0); } // NaN breaks monotony too
    static bool is_sound(const compensated& total) { return std::isfinite(total.value()); }
    static void merge(overflow_flag&, compensated& total, const compensated& change) { total.add(change.words()); }
    template <class Read>
    static void merge_all(overflow_flag& flag, compensated& total, std::size_t count, Read&& item) {
        for (std::size_t i = 0; i < count; ++i) {
            merge(flag, total, item(i));
        }
    }
    static compensated accumulate(overflow_flag&, compensated& slot, const double_change& value) {
        slot.add(value.words);
        compensated change;
        change.add(value.words);
        return change;
    }
};

template <class Slots> struct slot_codec;

template <class... Slots> struct slot_codec<ordered_slots<Slots...>> {
    static constexpr std::size_t size = sizeof...(Slots);
    using values = std::tuple<typename slot_rule<Slots>::value...>;     // of one entry, as callers see it
    using changes = std::tuple<typename slot_rule<Slots>::change...>;   // to one entry, as callers give it
    using totals = decltype(std::tuple(slot_rule<Slots>::read({})...)); // of many entries, as callers see it
    using payload = pack<Slots...>;                                     // of one entry, as stored
    using sums = pack<typename slot_rule<Slots>::sum...>;               // of many entries, as stored
    template <std::size_t I> using slot = std::tuple_element_t<I, std::tuple<Slots...>>;
    template <std::size_t I> using rule = slot_rule<slot<I>>;

    static sums accumulate(overflow_flag& flag, payload& entry, const changes& delta) {
        sums change{};
        for_each_place<size>(
            [&]<std::size_t I>() { at<I>(change) = rule<I>::accumulate(flag, at<I>(entry), std::get<I>(delta)); });
        return change;
    }

    static sums negated(overflow_flag& flag, const payload& entry) {
        sums change{};
        for_each_place<size>([&]<std::size_t I>() { at<I>(change) = rule<I>::negated(flag, at<I>(entry)); });
        return change;
    }

    // Adds a change. False if a sum is infinite or NaN: the caller adds it up anew, for a value that made it so may
    // have just left, and subtracting infinity does not bring back what it swallowed.
    static bool merge(overflow_flag& flag, sums& total, const sums& change) {
        bool sound = true;
        for_each_place<size>([&]<std::size_t I>() {
            rule<I>::merge(flag, at<I>(total), at<I>(change));
            sound = sound && rule<I>::is_sound(at<I>(total));
        });
        return sound;
    }

    // Adds the sums of nodes or the payloads of entries, slot by slot, so that running sums stay in registers.
    template <class Item> static void merge_all(overflow_flag& flag, sums& total, const Item* first, const Item* last) {
        for_each_place<size>([&]<std::size_t I>() {
            rule<I>::merge_all(flag, at<I>(total), static_cast<std::size_t>(last - first), [first](std::size_t i) {
                if constexpr (std::is_same_v<Item, sums>) {
                    return at<I>(first[i]);
                } else {
                    return rule<I>::widen(at<I>(first[i]));
                }
            });
        });
    }

    static totals read(const sums& total) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return totals(rule<I>::read(at<I>(total))...);
        }(std::make_index_sequence<size>{});
    }

    static values read_entry(const payload& entry) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return values(tg::read(at<I>(entry))...);
        }(std::make_index_sequence<size>{});
    }

    // Adds `sign` to the count of every slot in which the entry is negative.
    static void count_negatives(std::array<std::uint32_t, size>& counts, const payload& entry, std::uint32_t sign) {
        for_each_place<size>([&]<std::size_t I>() { counts[I] += rule<I>::is_negative(at<I>(entry)) ? sign : 0; });
    }
};

} // namespace detail

} // namespace tg
