// A window over the rows of a view: its partitions in order, and what the window functions gave for every row.
//
//     using ranked = tg::window<row, results, tg::fields<&row::group>, tg::window_order<…>, tg::window_order<…>,
//                               tg::fields<&results::number>, tg::row_number<&results::number>>;
//     ranked.change({7, 3}, 1);                // a row comes, or goes with -1
//     ranked.settle(flag, leave, enter);       // leave(row, results) and enter(row, results) for all that differs
//
// Changes wait until `settle`, which looks at every touched partition once. In there it starts at the first row that
// can differ. Rows that are equal in every column stand side by side, one entry each.
#pragma once

#include "keyed_map.hpp"
#include "window_calls.hpp"

#include <memory>

namespace tg {

template <class Row, class Results, class Partition, class Order, class Everything, class Fields, class... Calls>
class window;

// `Order` is the order of the window, `Everything` that of all columns, which decides where `Order` does not.
template <class Row, class Results, auto... Keys, class Order, class Everything, auto... Fields, class... Calls>
class window<Row, Results, fields<Keys...>, Order, Everything, fields<Fields...>, Calls...> {
public:
    // The row comes `weight` times, or goes. One that goes before it came is owed, and its coming then is no news.
    void change(Row row, std::int64_t weight) {
        partition& part = *m_partitions[find_or_create(row)];
        part.pending.push_back({std::move(row), weight});
    }

    template <class Leave, class Enter> void settle(overflow_flag& flag, Leave&& leave, Enter&& enter) {
        for (const std::uint32_t id : m_touched) {
            partition& part = *m_partitions[id];
            const std::size_t size = part.rows.size();
            const std::size_t changed = apply(part, leave);
            m_size += part.rows.size() - size;
            if (changed != none) {
                evaluate(part, changed, flag, leave, enter);
            }
            part.pending.clear();
            if (part.rows.empty() && part.debts.empty()) {
                m_index.erase(hash(part.key), id);
                m_partitions[id].reset();
                m_free.push_back(id);
            }
        }
        m_touched.clear();
        trim();
    }

    // Rows, owed ones included; empty partitions leave nothing behind.
    std::size_t size() const { return m_size + owed(); }
    std::size_t partitions() const { return m_index.size(); }

    std::size_t bytes() const {
        std::size_t total = m_index.bytes() + m_partitions.capacity() * sizeof(m_partitions[0]) +
                            (m_free.capacity() + m_touched.capacity()) * sizeof(std::uint32_t) +
                            m_next.capacity() * sizeof(Results);
        for (const auto& part : m_partitions) {
            if (part) {
                total += sizeof(partition) + part->rows.capacity() * sizeof(entry) +
                         (part->pending.capacity() + part->debts.capacity()) * sizeof(weighted);
            }
        }
        return total;
    }

    map_stats stats() const {
        const probe_stats probes = m_index.probes();
        return {size(), bytes(), m_index.capacity(), probes.max, probes.mean};
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t few = 4; // changes that are worth moving rows for, one by one
    static constexpr std::size_t largest_kept = std::size_t{1} << 20;

    struct entry {
        Row row{};
        Results results{};
        [[no_unique_address]] std::tuple<typename Calls::state...> states{};
        bool fresh = true; // nobody has heard of it yet
    };
    struct weighted {
        Row row{};
        std::int64_t weight = 0;
    };
    struct partition {
        Row key{}; // any row of it
        std::vector<entry> rows;
        std::vector<weighted> pending;
        std::vector<weighted> debts;
    };

    static bool less(const Row& left, const Row& right) { return total_order(left, right) < 0; }
    static int total_order(const Row& left, const Row& right) {
        const int order = Order::compare(left, right);
        return order != 0 ? order : Everything::compare(left, right);
    }

    static std::uint32_t hash(const Row& row) { return short_hash(hash_of(lent(row.*Keys)...)); }

    std::uint32_t find_or_create(const Row& row) {
        const std::uint32_t hashed = hash(row);
        const auto same_keys = [&]([[maybe_unused]] std::uint32_t id) {
            return (true && ... && same(m_partitions[id]->key.*Keys, row.*Keys));
        };
        std::uint32_t id = m_index.find(hashed, same_keys);
        if (id == nil) {
            id = create(row, hashed);
        }
        if (m_partitions[id]->pending.empty()) {
            m_touched.push_back(id);
        }
        return id;
    }

    std::uint32_t create(const Row& row, std::uint32_t hashed) {
        m_index.reserve_one();
        auto part = std::make_unique<partition>();
        part->key = row;
        std::uint32_t id = static_cast<std::uint32_t>(m_partitions.size());
        if (m_free.empty()) {
            m_partitions.emplace_back();
            m_free.reserve(m_partitions.capacity()); // so that giving an id back cannot fail
        } else {
            id = m_free.back();
            m_free.pop_back();
        }
        m_partitions[id] = std::move(part);
        m_index.insert(hashed, id);
        return id;
    }

    // --- changes to rows --------------------------------------------------------------------------------------------

    // The rows as they are now; the first place where they are not what they were.
    template <class Leave> static std::size_t apply(partition& part, Leave&& leave) {
        add_up(part.pending);
        std::size_t changed = none;
        if (part.pending.size() <= few) {
            for (weighted& change : part.pending) {
                changed = std::min(changed, apply_one(part, change, leave));
            }
        } else if (!part.pending.empty()) {
            changed = merge(part, leave);
        }
        if (part.rows.capacity() > 16 && part.rows.size() < part.rows.capacity() / 4) {
            part.rows.shrink_to_fit();
        }
        if (part.pending.capacity() > 16) {
            std::vector<weighted>().swap(part.pending);
        }
        return changed;
    }

    // Sorted, each row once, and none that comes as often as it goes.
    static void add_up(std::vector<weighted>& changes) {
        if (changes.size() > 1) {
            std::sort(changes.begin(), changes.end(),
                      [](const weighted& left, const weighted& right) { return less(left.row, right.row); });
        }
        std::size_t kept = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            if (kept > 0 && total_order(changes[kept - 1].row, changes[i].row) == 0) {
                changes[kept - 1].weight += changes[i].weight;
            } else if (kept++ != i) {
                changes[kept - 1] = std::move(changes[i]);
            }
            if (changes[kept - 1].weight == 0 &&
                (i + 1 == changes.size() || total_order(changes[kept - 1].row, changes[i + 1].row) != 0)) {
                --kept;
            }
        }
        changes.resize(kept);
    }

    template <class Leave> static std::size_t apply_one(partition& part, weighted& change, Leave&& leave) {
        auto& rows = part.rows;
        const std::size_t place = behind(rows, 0, change.row);
        const auto at = [&](std::size_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
        if (const std::size_t copies = arriving(part, change); copies != 0) {
            rows.insert(at(place), copies, entry{});
            for (std::size_t i = place; i < place + copies; ++i) {
                rows[i].row = change.row;
            }
            return place;
        }
        std::size_t first = place;
        for (; change.weight < 0 && first > 0 && total_order(rows[first - 1].row, change.row) == 0; ++change.weight) {
            --first;
            leave(std::as_const(rows[first].row), std::as_const(rows[first].results));
        }
        owe(part, change);
        rows.erase(at(first), at(place));
        return first == place ? none : first;
    }

    template <class Leave> static std::size_t merge(partition& part, Leave&& leave) {
        std::vector<entry> merged;
        merged.reserve(part.rows.size() + part.pending.size());
        std::size_t changed = none;
        std::size_t taken = 0;
        const auto take_to = [&](std::size_t end) {
            for (; taken < end; ++taken) {
                merged.push_back(std::move(part.rows[taken]));
            }
        };
        for (weighted& change : part.pending) {
            take_to(behind(part.rows, taken, change.row));
            if (const std::size_t copies = arriving(part, change); copies != 0) {
                changed = std::min(changed, merged.size());
                for (std::size_t i = 0; i < copies; ++i) {
                    merged.emplace_back().row = change.row;
                }
            }
            for (; change.weight < 0 && !merged.empty() && total_order(merged.back().row, change.row) == 0;
                 ++change.weight) {
                leave(std::as_const(merged.back().row), std::as_const(merged.back().results));
                merged.pop_back();
                changed = std::min(changed, merged.size());
            }
            owe(part, change);
        }
        take_to(part.rows.size());
        part.rows.swap(merged);
        return changed;
    }

    // The place behind all rows up to this one and its equals.
    static std::size_t behind(const std::vector<entry>& rows, std::size_t from, const Row& row) {
        const auto start = rows.begin() + static_cast<std::ptrdiff_t>(from);
        const auto found = std::upper_bound(
            start, rows.end(), row, [](const Row& value, const entry& other) { return less(value, other.row); });
        return static_cast<std::size_t>(found - rows.begin());
    }

    // How many copies really come, when what is owed has been paid.
    static std::size_t arriving(partition& part, weighted& change) {
        if (change.weight <= 0) {
            return 0;
        }
        for (std::size_t i = 0; i < part.debts.size(); ++i) {
            weighted& debt = part.debts[i];
            if (total_order(debt.row, change.row) == 0) {
                const std::int64_t paid = std::min(change.weight, -debt.weight);
                change.weight -= paid;
                debt.weight += paid;
                if (debt.weight == 0) {
                    part.debts.erase(part.debts.begin() + static_cast<std::ptrdiff_t>(i));
                }
                break;
            }
        }
        return static_cast<std::size_t>(change.weight);
    }

    static void owe(partition& part, const weighted& change) {
        if (change.weight >= 0) {
            return;
        }
        for (weighted& debt : part.debts) {
            if (total_order(debt.row, change.row) == 0) {
                debt.weight += change.weight;
                return;
            }
        }
        part.debts.push_back(change);
    }

    std::size_t owed() const {
        std::size_t total = 0;
        for (const auto& part : m_partitions) {
            total += part ? part->debts.size() : 0;
        }
        return total;
    }

    // --- results ----------------------------------------------------------------------------------------------------

    template <class Leave, class Enter>
    void evaluate(partition& part, std::size_t changed, overflow_flag& flag, Leave&& leave, Enter&& enter) {
        auto& rows = part.rows;
        std::size_t from = std::min(changed, rows.size());
        ((from = std::min(from, Calls::first_affected(rows, changed))), ...);
        m_next.assign(rows.size() - from, Results{});
        const auto out = [&](std::size_t i) -> Results& { return m_next[i - from]; };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (Calls::template evaluate<I>(flag, rows, from, changed, out), ...);
        }(std::index_sequence_for<Calls...>{});
        for (std::size_t i = from; i < rows.size(); ++i) {
            entry& now = rows[i];
            Results& next = m_next[i - from];
            if (!now.fresh && (true && ... && same(now.results.*Fields, next.*Fields))) {
                continue;
            }
            if (!now.fresh) {
                leave(std::as_const(now.row), std::as_const(now.results));
            }
            now.results = std::move(next);
            now.fresh = false;
            enter(std::as_const(now.row), std::as_const(now.results));
        }
    }

    // What one large partition needed is not kept for all the small ones.
    void trim() {
        if (m_next.capacity() * sizeof(Results) > largest_kept) {
            std::vector<Results>().swap(m_next);
        }
        if (m_index.size() == 0) {
            m_index.clear();
            m_partitions.clear();
            m_free.clear();
        }
    }

    unique_index m_index;
    std::vector<std::unique_ptr<partition>> m_partitions;
    std::vector<std::uint32_t> m_free;
    std::vector<std::uint32_t> m_touched;
    std::vector<Results> m_next;
    std::size_t m_size = 0;
};

} // namespace tg
