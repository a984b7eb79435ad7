// Ledgers of all kinds against a plain bag of rows: which events are refused, and what is there afterwards.
#include "check.hpp"
#include "random.hpp"

#include <toastergen/change_rows.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>

namespace {

constexpr std::array<tg::column_spec, 4> columns{
    {{"note", "U", true}, {"k", "i"}, {"name", "U"}, {"price", "d:20,2", true}}};
constexpr std::array<std::uint32_t, 2> key_columns{2, 1};

struct row_data {
    std::optional<std::string> note;
    std::int32_t k = 0;
    std::string name;
    std::optional<std::int64_t> price;

    auto operator<=>(const row_data&) const = default;
    std::pair<std::string, std::int32_t> key() const { return {name, k}; }

    std::array<tg_value, 4> values() const {
        std::array<tg_value, 4> out{};
        out[0] = note ? text(*note) : absent();
        out[1].kind = TG_INT;
        out[1].i = k;
        out[2] = text(name);
        out[3].kind = TG_DECIMAL;
        tg::detail::set_wide(out[3], price.value_or(0));
        out[3] = price ? out[3] : absent();
        return out;
    }

    static tg_value absent() {
        tg_value value{};
        value.kind = TG_NULL;
        return value;
    }
    static tg_value text(const std::string& from) {
        tg_value value{};
        value.kind = TG_STRING;
        value.s.data = from.data();
        value.s.size = from.size();
        return value;
    }
    static row_data of(const tg_value* values) {
        row_data row;
        row.note =
            values[0].kind == TG_NULL ? std::nullopt : std::optional(std::string(values[0].s.data, values[0].s.size));
        row.k = static_cast<std::int32_t>(values[1].i);
        row.name = std::string(values[2].s.data, values[2].s.size);
        row.price = values[3].kind == TG_NULL ? std::nullopt
                                              : std::optional(static_cast<std::int64_t>(tg::detail::wide(values[3])));
        return row;
    }
};

struct change {
    row_data row;
    std::int64_t weight;
};

// Rows in Arrow's layout.
struct table {
    explicit table(const std::vector<change>& changes) {
        tg::table_builder out(columns);
        for (const auto& [row, weight] : changes) {
            row.note ? out.append(0, std::string_view(*row.note)) : out.append_null(0);
            out.append(1, row.k);
            out.append(2, std::string_view(row.name));
            row.price ? out.append(3, tg::int128{*row.price}) : out.append_null(3);
            weights.push_back(weight);
        }
        out.finish(&schema, &array);
    }
    ~table() {
        schema.release(&schema);
        array.release(&array);
    }
    table(const table&) = delete;
    tg::batch rows() const { return {schema, array, weights.data(), columns}; }

    std::vector<std::int64_t> weights;
    ArrowSchema schema{};
    ArrowArray array{};
};

using bag = std::map<row_data, std::int64_t>;

// What must hold of a bag.
bool is_legal(const bag& rows, tg::ledger_kind kind) {
    std::map<std::pair<std::string, std::int32_t>, std::int64_t> keys;
    for (const auto& [row, count] : rows) {
        keys[row.key()] += count;
        if (count < 0 || (kind == tg::ledger_kind::rows && count > 1)) {
            return false;
        }
    }
    for (const auto& [key, count] : keys) {
        if (kind != tg::ledger_kind::counts && count > 1) {
            return false;
        }
    }
    return true;
}

void add(bag& to, const row_data& row, std::int64_t weight) {
    if ((to[row] += weight) == 0) {
        to.erase(row);
    }
}

const row_data* find(const bag& rows, const row_data& wanted) {
    for (const auto& [row, count] : rows) {
        if (row.key() == wanted.key()) {
            return &row;
        }
    }
    return nullptr;
}

class trial {
public:
    trial(tg::ledger_kind kind, std::uint64_t seed)
        : m_spec{"r", columns, kind == tg::ledger_kind::keys, false, kind, key_columns}, m_ledger(m_spec),
          m_random(seed) {}

    void run(int events) {
        for (int event = 0; event < events; ++event) {
            one();
            if (event % 50 == 0) {
                inspect();
            }
        }
        inspect();
    }

private:
    bool by_key() const { return m_spec.ledger == tg::ledger_kind::rows; }

    row_data draw() {
        if (!m_rows.empty() && m_random.below(2) == 0) {
            auto at = m_rows.begin();
            std::advance(at, static_cast<long>(m_random.below(m_rows.size())));
            row_data row = at->first;
            if (m_random.below(4) == 0) {
                row.price = static_cast<std::int64_t>(m_random.below(3)) - 1;
            }
            return row;
        }
        row_data row;
        row.note = m_random.below(3) == 0 ? std::nullopt : std::optional(m_random.text());
        row.k = static_cast<std::int32_t>(m_random.below(6)) - 2;
        row.name = m_random.text();
        row.price = m_random.below(3) == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(m_random.below(3)));
        return row;
    }

    std::int64_t weight() {
        if (m_spec.append_only) {
            return static_cast<std::int64_t>(m_random.below(8) == 0 ? 0 : m_random.below(30) == 0 ? 2 : 1);
        }
        static constexpr std::int64_t weights[] = {1, 1, 1, 1, -1, -1, -1, 2, -2, 0, 3};
        return weights[m_random.below(11)];
    }

    void one() {
        switch (m_random.below(m_spec.append_only ? 2 : by_key() ? 6 : 3)) {
        case 0:
            return single();
        case 1:
            return batch();
        case 2:
            return update();
        case 3:
            return operations();
        case 4:
            return upsert();
        default:
            return erase_key();
        }
    }

    // `after` is what a legal event leads to; then half of the events are taken back as if the engine had overflowed.
    template <class Event> void judge(const bag& after, bool legal, Event&& event) {
        bool refused = false;
        try {
            event();
        } catch (const tg::data_error& error) {
            refused = true;
            CHECK(std::string_view(error.what()).starts_with("relation \"r\""));
        }
        CHECK(refused == !legal);
        if (refused) {
            return;
        }
        if (by_key()) {
            check_effect(after);
        }
        if (m_random.below(4) == 0) {
            m_ledger.take_back();
        } else {
            m_ledger.keep();
            m_rows = after;
        }
    }

    void check_effect(const bag& after) {
        bag changed = m_rows;
        m_ledger.effect([&](const tg_value* row) { add(changed, row_data::of(row), -1); },
                        [&](const tg_value* row) { add(changed, row_data::of(row), 1); });
        CHECK(changed == after);
        const tg::change_rows rows(m_ledger);
        std::int64_t net = 0;
        const tg::batch changes = rows.rows();
        for (std::size_t at = 0; at < changes.size(); ++at) {
            net += changes.weight(at);
        }
        CHECK(static_cast<std::int64_t>(m_rows.size()) + net == static_cast<std::int64_t>(after.size()));
    }

    void single() {
        const row_data row = draw();
        const std::int64_t times = weight();
        bag after = m_rows;
        add(after, row, times);
        judge(after, is_legal(after, m_spec.ledger), [&] { m_ledger.row(row.values().data(), times); });
    }

    void batch() {
        std::vector<change> changes;
        bag after = m_rows;
        for (std::uint64_t left = m_random.below(12); left > 0; --left) {
            changes.push_back({draw(), weight()});
            if (!m_spec.append_only && m_random.below(3) == 0) { // what cancels, in either order
                const change last = changes.back();
                const auto middle = static_cast<long>(m_random.below(changes.size()));
                changes.insert(changes.begin() + middle, {last.row, -last.weight});
            }
        }
        for (const auto& [row, times] : changes) {
            add(after, row, times);
        }
        const table rows(changes);
        judge(after, is_legal(after, m_spec.ledger), [&] { m_ledger.rows(rows.rows()); });
    }

    void update() {
        const row_data before = draw();
        row_data next = m_random.below(2) == 0 ? draw() : before;
        next.price = m_random.below(2) == 0 ? std::optional<std::int64_t>(7) : next.price;
        bag after = m_rows;
        add(after, before, -1);
        add(after, next, 1);
        const bool was_there = m_rows.contains(before);
        judge(after, was_there && is_legal(after, m_spec.ledger),
              [&] { m_ledger.update(before.values().data(), next.values().data()); });
    }

    void operations() {
        std::vector<change> changes;
        std::vector<std::uint8_t> what;
        bag after = m_rows;
        bool legal = true;
        for (std::uint64_t left = m_random.below(10); left > 0; --left) {
            const row_data row = draw();
            what.push_back(static_cast<std::uint8_t>(m_random.below(2) == 0 ? 4 : 1 + m_random.below(5)));
            changes.push_back({row, 1});
            legal = legal && carry_out(after, row, what.back());
        }
        const table rows(changes);
        judge(after, legal, [&] { m_ledger.operations(rows.rows(), what.data()); });
    }

    static bool carry_out(bag& rows, const row_data& row, std::uint8_t what) {
        const row_data* found = find(rows, row);
        const std::optional<row_data> old = found == nullptr ? std::nullopt : std::optional(*found);
        switch (what) {
        case TG_INSERT:
            add(rows, row, 1);
            return !old;
        case TG_DELETE:
            add(rows, row, -1);
            return old && *old == row;
        default:
            if (old) {
                add(rows, *old, -1);
            }
            if (what != TG_DELETE_KEY) {
                add(rows, row, 1);
            }
            return what == TG_UPSERT || old;
        }
    }

    void upsert() {
        const row_data row = draw();
        bag after = m_rows;
        carry_out(after, row, TG_UPSERT);
        judge(after, true, [&] { m_ledger.upsert(row.values().data()); });
    }

    void erase_key() {
        const row_data row = draw();
        bag after = m_rows;
        const bool legal = carry_out(after, row, TG_DELETE_KEY);
        const auto values = row.values();
        const tg_value key[] = {values[2], values[1]};
        judge(after, legal, [&] { m_ledger.erase_key(key); });
    }

    // Every row of the bag is there exactly as often as it should be.
    void inspect() {
        CHECK(m_ledger.size() == m_rows.size());
        CHECK(m_ledger.bytes() < 1'000'000);
        for (const auto& [row, count] : m_rows) {
            const auto values = row.values();
            if (m_spec.append_only) {
                const std::string why = check::message_of<tg::key_error>([&] { m_ledger.row(values.data(), 1); });
                CHECK(why.ends_with("is there already"));
                continue;
            }
            m_ledger.row(values.data(), -count);
            m_ledger.take_back();
            (void)check::message_of<tg::unmatched_error>([&] { m_ledger.row(values.data(), -count - 1); });
        }
    }

    tg::relation_spec m_spec;
    tg::relation_ledger m_ledger;
    random_source m_random;
    bag m_rows;
};

void try_all(tg::ledger_kind kind) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        trial(kind, seed).run(600);
    }
}

} // namespace

CASE(counted_rows) {
    try_all(tg::ledger_kind::counts);
}

CASE(rows_by_key) {
    try_all(tg::ledger_kind::rows);
}

CASE(keys_alone) {
    try_all(tg::ledger_kind::keys);
}

CASE(messages_name_the_row_and_its_place) {
    const tg::relation_spec counted{"r", columns, false, false, tg::ledger_kind::counts, key_columns};
    const tg::relation_spec keyed{"r", columns, false, false, tg::ledger_kind::rows, key_columns};
    const row_data one{"it's", 1, "x", -150}, other{std::nullopt, 1, "x", std::nullopt}, third{"", 2, "y", 5};
    for (const tg::relation_spec* spec : {&counted, &keyed}) {
        tg::relation_ledger ledger(*spec);
        CHECK(check::message_of<tg::unmatched_error>([&] { ledger.row(one.values().data(), -1); }) ==
              "relation \"r\": ('it''s', 1, 'x', -1.50) is deleted but is not there");
        ledger.row(one.values().data(), 1);
        ledger.keep();
        const table changes({{third, 1}, {other, -1}});
        CHECK(check::message_of<tg::unmatched_error>([&] {
                  ledger.rows(changes.rows());
              }).starts_with("relation \"r\", row 2: (NULL, 1, 'x', NULL) is deleted but is not there"));
        const table twice({{one, -1}, {third, 1}, {one, -1}});
        (void)check::message_of<tg::unmatched_error>([&] { ledger.rows(twice.rows()); });
        CHECK(ledger.size() == 1);
    }
    tg::relation_ledger ledger(keyed);
    ledger.row(one.values().data(), 1);
    ledger.keep();
    CHECK(check::message_of<tg::key_error>([&] { ledger.row(other.values().data(), 1); }) ==
          "relation \"r\": the key name = 'x', k = 1 is there already, in the row ('it''s', 1, 'x', -1.50)");
    CHECK(check::message_of<tg::unmatched_error>([&] {
              ledger.row(other.values().data(), -1);
          }).ends_with("is deleted but is not there; that key has the row ('it''s', 1, 'x', -1.50)"));
}

CASE(texts_of_values) {
    CHECK(tg::detail::date_text(0) == "1970-01-01" && tg::detail::date_text(-719162) == "0001-01-01");
    CHECK(tg::detail::date_text(2932896) == "9999-12-31" && tg::detail::date_text(11016) == "2000-02-29");
    CHECK(tg::detail::decimal_text(0, 2) == "0.00" && tg::detail::decimal_text(-5, 2) == "-0.05");
    CHECK(tg::detail::decimal_text(12345, 0) == "12345" && tg::detail::double_text(0.1) == "0.1");
    CHECK(tg::detail::quoted_text(std::string(59, 'a') + "é") == "'" + std::string(59, 'a') + "…'");
}
