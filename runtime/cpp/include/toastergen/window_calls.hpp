// Window functions. Each is a type: from which row on its results can differ, and how to compute them from there.
//
// `rows` are the entries of one partition in order. Entries before `changed` are what they were, and so are the states
// that a running aggregate keeps in them, so that a row behind the last one costs no more than itself.
#pragma once

#include "window_frame.hpp"

#include <tuple>
#include <vector>

namespace tg {

struct no_state {};

// --- ranks ----------------------------------------------------------------------------------------------------------

template <auto Result> struct row_number {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) { return changed; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        for (std::size_t i = from; i < rows.size(); ++i) {
            out(i).*Result = static_cast<std::int64_t>(i + 1);
        }
    }
};

template <auto Result, class Order> struct rank {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) { return changed; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        peer_cursor<Order, Rows> peers(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            peers.at(i);
            out(i).*Result = static_cast<std::int64_t>(peers.begin() + 1);
        }
    }
};

template <auto Result, class Order> struct dense_rank {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) { return changed; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        std::int64_t number = from == 0 ? 0 : rows[from - 1].results.*Result;
        for (std::size_t i = from; i < rows.size(); ++i) {
            number += i == 0 || Order::compare(rows[i - 1].row, rows[i].row) != 0;
            out(i).*Result = number;
        }
    }
};

template <auto Result, class Order> struct percent_rank {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t) { return 0; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        peer_cursor<Order, Rows> peers(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            peers.at(i);
            const bool alone = rows.size() == 1;
            out(i).*Result = alone ? 0 : static_cast<double>(peers.begin()) / static_cast<double>(rows.size() - 1);
        }
    }
};

template <auto Result, class Order> struct cume_dist {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t) { return 0; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        peer_cursor<Order, Rows> peers(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            peers.at(i);
            out(i).*Result = static_cast<double>(peers.end()) / static_cast<double>(rows.size());
        }
    }
};

// Parts of equal size; the first ones get one row more where the rows do not divide evenly.
template <auto Result, std::int64_t Parts> struct ntile {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t) { return 0; }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        const auto size = static_cast<std::int64_t>(rows.size());
        const std::int64_t small = size / Parts;
        const std::int64_t edge = size % Parts * (small + 1);
        for (std::size_t i = from; i < rows.size(); ++i) {
            const auto place = static_cast<std::int64_t>(i);
            out(i).*Result = 1 + (place < edge ? place / (small + 1) : size % Parts + (place - edge) / small);
        }
    }
};

// --- other rows -----------------------------------------------------------------------------------------------------

// LAG has `Steps` below zero, LEAD above. `Default` is a column of the row itself, or nullptr for NULL.
template <auto Result, auto Member, std::int64_t Steps, auto Default> struct neighbour {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) {
        return Steps > 0 ? detail::moved(changed, -Steps, changed) : changed;
    }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        for (std::size_t i = from; i < rows.size(); ++i) {
            auto& result = out(i).*Result;
            const std::size_t other = i + static_cast<std::size_t>(Steps); // wraps where it leaves the partition
            if (Steps < 0 ? other < i : other < rows.size() && other >= i) {
                result = rows[other].row.*Member;
            } else if constexpr (!std::is_null_pointer_v<decltype(Default)>) {
                result = rows[i].row.*Default;
            } else {
                result = {};
            }
        }
    }
};

struct first_place {
    static std::size_t of(std::size_t begin, std::size_t) { return begin; }
};
struct last_place {
    static std::size_t of(std::size_t, std::size_t end) { return end - 1; }
};
template <std::int64_t Number> struct nth_place {
    static std::size_t of(std::size_t begin, std::size_t end) { return detail::moved(begin, Number - 1, end); }
};

// FIRST_VALUE, LAST_VALUE and NTH_VALUE: the row at a place of the frame, or NULL.
template <auto Result, auto Member, class Frame, class Place> struct placed {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows& rows, std::size_t changed) {
        return Frame::first_affected(rows, changed);
    }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        typename Frame::template cursor<Rows> frame(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            frame.at(i);
            const std::size_t place = frame.begin < frame.end ? Place::of(frame.begin, frame.end) : frame.end;
            if (place < frame.end) {
                out(i).*Result = rows[place].row.*Member;
            } else {
                out(i).*Result = {};
            }
        }
    }
};

// --- the same with IGNORE NULLS
// ---------------------------------------------------------------------------------------

namespace detail {

// The places whose value is not NULL.
template <auto Member, class Rows> std::vector<std::size_t> known_places(const Rows& rows) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (is_present(rows[i].row.*Member)) {
            places.push_back(i);
        }
    }
    return places;
}

inline std::size_t known_before(const std::vector<std::size_t>& places, std::size_t i) {
    return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), i) - places.begin());
}

} // namespace detail

template <auto Result, auto Member, std::int64_t Steps, auto Default> struct known_neighbour {
    static_assert(Steps != 0);
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows&, std::size_t changed) {
        return Steps > 0 ? 0 : changed;
    }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        const std::vector<std::size_t> places = detail::known_places<Member>(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            auto& result = out(i).*Result;
            const std::size_t before = detail::known_before(places, i);
            const std::size_t next = before + (before < places.size() && places[before] == i);
            // Wraps where it leaves the partition.
            const std::size_t other = (Steps < 0 ? before : next - 1) + static_cast<std::size_t>(Steps);
            if (other < places.size()) {
                result = rows[places[other]].row.*Member;
            } else if constexpr (!std::is_null_pointer_v<decltype(Default)>) {
                result = rows[i].row.*Default;
            } else {
                result = {};
            }
        }
    }
};

template <auto Result, auto Member, class Frame, class Place> struct known_placed {
    using state = no_state;
    template <class Rows> static std::size_t first_affected(const Rows& rows, std::size_t changed) {
        return Frame::first_affected(rows, changed);
    }

    template <std::size_t, class Rows, class Out>
    static void evaluate(overflow_flag&, Rows& rows, std::size_t from, std::size_t, Out&& out) {
        const std::vector<std::size_t> places = detail::known_places<Member>(rows);
        typename Frame::template cursor<Rows> frame(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            frame.at(i);
            const std::size_t begin = detail::known_before(places, frame.begin);
            const std::size_t end = detail::known_before(places, frame.end);
            const std::size_t place = begin < end ? Place::of(begin, end) : end;
            if (place < end) {
                out(i).*Result = rows[places[place]].row.*Member;
            } else {
                out(i).*Result = {};
            }
        }
    }
};

// --- aggregates -----------------------------------------------------------------------------------------------------

struct count_rows {
    using state = std::int64_t;
    template <class Rows> static state lift(const Rows&, std::size_t) { return 1; }
    template <class Rows> static state combine(const Rows&, state left, state right) { return left + right; }
    static state empty() { return 0; }
    template <class Rows, class T> static void read(overflow_flag&, const Rows&, state total, T& to) { to = total; }
};

template <auto Member> struct count_of : count_rows {
    template <class Rows> static state lift(const Rows& rows, std::size_t i) {
        return detail::is_present(rows[i].row.*Member);
    }
};

// Carried in 128 bits: a frame whose sum fits raises no flag, whatever the rows around it add up to.
template <auto Member, exact_number Total> struct exact_sum {
    struct state {
        int128 total = 0;
        std::int64_t count = 0;
        bool overflow = false;
    };

    template <class Rows> static state lift(const Rows& rows, std::size_t i) {
        const auto& value = rows[i].row.*Member;
        return detail::is_present(value) ? state{detail::plain(value), 1, false} : state{};
    }
    template <class Rows> static state combine(const Rows&, const state& left, const state& right) {
        overflow_flag flag{left.overflow || right.overflow};
        const int128 total = add(flag, left.total, right.total);
        return {total, left.count + right.count, flag.set};
    }
    static state empty() { return {}; }
    template <class Rows, class T> static void read(overflow_flag& flag, const Rows&, const state& sum, T& to) {
        flag.set |= sum.overflow;
        if (sum.count != 0) {
            to = narrow<Total>(flag, sum.total);
        } else {
            to = {};
        }
    }
};

template <auto Member> struct double_sum {
    struct state {
        double_word total;
        std::int64_t count = 0;
    };

    template <class Rows> static state lift(const Rows& rows, std::size_t i) {
        const auto& value = rows[i].row.*Member;
        return detail::is_present(value) ? state{{detail::plain(value), 0}, 1} : state{};
    }
    template <class Rows> static state combine(const Rows&, const state& left, const state& right) {
        return {left.total + right.total, left.count + right.count};
    }
    static state empty() { return {}; }
    template <class Rows, class T> static void read(overflow_flag&, const Rows&, const state& sum, T& to) {
        if (sum.count != 0) {
            to = normalise(sum.total.high);
        } else {
            to = {};
        }
    }
};

// MIN and MAX remember where the value stands. `Sign` is 1 for the least.
template <auto Member, int Sign> struct end_value {
    using state = std::size_t;
    static constexpr state none = ~std::size_t{0};

    template <class Rows> static state lift(const Rows& rows, std::size_t i) {
        return detail::is_present(rows[i].row.*Member) ? i : none;
    }
    template <class Rows> static state combine(const Rows& rows, state left, state right) {
        if (left == none || right == none) {
            return left == none ? right : left;
        }
        const int order =
            detail::three_way(detail::plain(rows[left].row.*Member), detail::plain(rows[right].row.*Member));
        return order * Sign <= 0 ? left : right;
    }
    static state empty() { return none; }
    template <class Rows, class T> static void read(overflow_flag&, const Rows& rows, state best, T& to) {
        if (best != none) {
            to = rows[best].row.*Member;
        } else {
            to = {};
        }
    }
};

// An aggregate over a frame. Nothing is ever taken out of a sum: infinities could not be, and doubles would drift.
template <auto Result, class Aggregate, class Frame> struct framed {
    static constexpr bool is_whole = Frame::from_start && Frame::to_end;
    static constexpr bool is_running = Frame::from_start && !Frame::to_end;
    using total = typename Aggregate::state;
    using state = std::conditional_t<is_running, total, no_state>; // of all rows up to the entry

    template <class Rows> static std::size_t first_affected(const Rows& rows, std::size_t changed) {
        return Frame::first_affected(rows, changed);
    }

    template <std::size_t I, class Rows, class Out>
    static void evaluate(overflow_flag& flag, Rows& rows, std::size_t from, std::size_t changed, Out&& out) {
        if constexpr (is_whole) {
            whole(flag, rows, from, out);
        } else if constexpr (is_running) {
            running<I>(flag, rows, from, changed, out);
        } else {
            sliding(flag, rows, from, out);
        }
    }

private:
    template <class Rows, class Out> static void whole(overflow_flag& flag, Rows& rows, std::size_t from, Out& out) {
        total sum = Aggregate::empty();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            sum = Aggregate::combine(rows, sum, Aggregate::lift(rows, i));
        }
        for (std::size_t i = from; i < rows.size(); ++i) {
            Aggregate::read(flag, rows, sum, out(i).*Result);
        }
    }

    template <std::size_t I, class Rows, class Out>
    static void running(overflow_flag& flag, Rows& rows, std::size_t from, std::size_t changed, Out& out) {
        for (std::size_t i = changed; i < rows.size(); ++i) {
            const total own = Aggregate::lift(rows, i);
            std::get<I>(rows[i].states) = i == 0 ? own : Aggregate::combine(rows, std::get<I>(rows[i - 1].states), own);
        }
        typename Frame::template cursor<Rows> frame(rows);
        for (std::size_t i = from; i < rows.size(); ++i) {
            frame.at(i);
            const total sum = frame.end == 0 ? Aggregate::empty() : std::get<I>(rows[frame.end - 1].states);
            Aggregate::read(flag, rows, sum, out(i).*Result);
        }
    }

    // The frame in two parts: of the front every suffix is known, to the back rows are added. When the front is used
    // up, the back becomes the front. Every row is added twice, however wide the frame.
    template <class Rows, class Out> static void sliding(overflow_flag& flag, Rows& rows, std::size_t from, Out& out) {
        typename Frame::template cursor<Rows> frame(rows);
        std::vector<total> front; // sums of [place, middle) for the places from `first` on
        total back = Aggregate::empty();
        std::size_t first = 0;
        std::size_t middle = 0;
        std::size_t end = 0;
        for (std::size_t i = from; i < rows.size(); ++i) {
            frame.at(i);
            if (frame.begin > middle) {
                first = frame.begin;
                middle = end = std::max(end, frame.begin);
                front.assign(middle - first, Aggregate::empty());
                total sum = Aggregate::empty();
                for (std::size_t place = middle; place-- > first;) {
                    sum = Aggregate::combine(rows, Aggregate::lift(rows, place), sum);
                    front[place - first] = sum;
                }
                back = Aggregate::empty();
            }
            for (; end < frame.end; ++end) {
                back = Aggregate::combine(rows, back, Aggregate::lift(rows, end));
            }
            const total sum = frame.begin < middle ? Aggregate::combine(rows, front[frame.begin - first], back) : back;
            Aggregate::read(flag, rows, sum, out(i).*Result);
        }
    }
};

} // namespace tg
