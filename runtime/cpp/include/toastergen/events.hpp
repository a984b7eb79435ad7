// The events of an engine behind its border: each is checked, noted in a ledger, carried out, and on overflow taken
// back.
//
// Triggers compute with wrapping arithmetic and only raise a flag when a result leaves its type. The state is then a
// ring modulo 2^n, so applying the opposite change takes a failed one back exactly. Whether a row that is deleted is
// there, triggers do not ask: the ledgers do, before them.
#pragma once

#include "arrow.hpp"
#include "change_rows.hpp"
#include "relation.hpp"
#include "relation_ledger.hpp"
#include "row_batch.hpp"
#include "row_check.hpp"

#include <concepts>
#include <stdexcept>
#include <string>
#include <vector>

namespace tg {

template <class E>
concept engine_class =
    std::default_initializable<E> && requires(E engine, const E& fixed, std::uint32_t index, const tg_value* values,
                                              const batch& rows, table_builder& out, std::string& json) {
        { E::name } -> std::convertible_to<const char*>;
        { E::schema_json } -> std::convertible_to<const char*>;
        { E::relations() } -> std::convertible_to<std::span<const relation_spec>>;
        { E::view_count() } -> std::convertible_to<std::size_t>;
        { E::view_builder(index) } -> std::same_as<table_builder>;
        { fixed.overflowed() } -> std::convertible_to<bool>;
        { fixed.unreadable() } -> std::convertible_to<bool>;
        engine.clear_overflow();
        engine.apply_row(index, values, std::int64_t{1});
        engine.apply_batch(index, rows);
        fixed.export_view(index, out);
        fixed.stats(json);
    };

namespace detail {

struct overflow_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <engine_class Engine> class events {
public:
    events() {
        m_ledgers.reserve(Engine::relations().size());
        for (const relation_spec& relation : Engine::relations()) {
            m_ledgers.emplace_back(relation);
        }
    }

    const Engine& engine() const { return m_engine; }

    // Did an exception leave half of a change behind?
    bool is_torn() const { return m_torn; }

    void row(std::uint32_t relation, const tg_value* values, std::uint64_t count, std::int64_t weight) {
        const relation_spec& spec = relation_at(relation);
        check_row(spec, values, count);
        refuse_delete(spec, weight);
        refuse_late(spec);
        if (weight >= -most_repeats && weight <= most_repeats) {
            relation_ledger& ledger = m_ledgers[relation];
            ledger.row(values, weight);
            keeping(ledger, [&] { change_row(relation, values, weight); });
            return;
        }
        const row_batch one(spec, values, weight);
        change_batch(relation, named(spec, [&] { return one.rows(spec.columns); }));
    }

    void update(std::uint32_t relation, const tg_value* before, std::uint64_t before_count, const tg_value* after,
                std::uint64_t after_count) {
        const relation_spec& spec = relation_at(relation);
        check_row(spec, before, before_count);
        check_row(spec, after, after_count);
        refuse_delete(spec, -1);
        refuse_late(spec);
        relation_ledger& ledger = m_ledgers[relation];
        ledger.update(before, after);
        keeping(ledger, [&] { exchange(relation, before, after); });
    }

    void upsert(std::uint32_t relation, const tg_value* values, std::uint64_t count) {
        const relation_spec& spec = relation_at(relation);
        check_row(spec, values, count);
        refuse_late(spec);
        if (!goes_by_key(spec, "upsert")) {
            return;
        }
        relation_ledger& ledger = m_ledgers[relation];
        ledger.upsert(values);
        keeping(ledger, [&] { carry_out_one(relation, ledger); });
    }

    void erase_key(std::uint32_t relation, const tg_value* key, std::uint64_t count) {
        const relation_spec& spec = relation_at(relation);
        const bool is_kept = goes_by_key(spec, "delete by key");
        std::vector<column_spec> columns;
        for (const std::uint32_t column : spec.key) {
            columns.push_back(spec.columns[column]);
        }
        check_row({.name = spec.name, .columns = columns}, key, count);
        refuse_late(spec);
        if (is_kept) {
            relation_ledger& ledger = m_ledgers[relation];
            ledger.erase_key(key);
            keeping(ledger, [&] { carry_out_one(relation, ledger); });
        }
    }

    void rows(std::uint32_t relation, const ArrowSchema* schema, const ArrowArray* array, const std::int64_t* weights) {
        change_batch(relation, checked(relation, schema, array, weights));
    }

    void operations(std::uint32_t relation, const ArrowSchema* schema, const ArrowArray* array,
                    const std::uint8_t* operations) {
        const batch rows = checked(relation, schema, array, nullptr);
        if (operations == nullptr && rows.size() != 0) {
            throw argument_error("the operations are missing");
        }
        std::vector<std::int64_t> weights(rows.size());
        bool is_bag = true;
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if (operations[at] < TG_INSERT || operations[at] > TG_DELETE_KEY) {
                throw argument_error("row " + std::to_string(at + 1) + ": there is no operation " +
                                     std::to_string(operations[at]));
            }
            is_bag &= operations[at] <= TG_DELETE;
            weights[at] = operations[at] == TG_INSERT ? 1 : -1;
        }
        if (is_bag) {
            refuse_deletes(relation_at(relation), weights.data(), rows.size());
            return change_batch(relation, rows.with_weights(weights.data()));
        }
        if (goes_by_key(relation_at(relation), "an update or upsert")) {
            relation_ledger& ledger = m_ledgers[relation];
            ledger.operations(rows, operations);
            keeping(ledger, [&] { carry_out(relation, ledger); });
        }
    }

    // JSON: the maps of the engine, and the ledgers.
    void add_stats(std::string& json) const {
        m_engine.stats(json);
        json.pop_back(); // the closing brace
        json += ", \"ledgers\": [";
        bool is_first = true;
        for (const relation_ledger& ledger : m_ledgers) {
            if (ledger.relation().ledger >= ledger_kind::counts) {
                append_ledger(json, ledger, is_first);
                is_first = false;
            }
        }
        json += "]}";
    }

private:
    // Up to here repeating the single-row trigger is cheaper than setting up a batch.
    static constexpr std::int64_t most_repeats = 16;

    static const relation_spec& relation_at(std::uint32_t relation) {
        const std::span<const relation_spec> all = Engine::relations();
        if (relation >= all.size()) {
            throw argument_error("there is no relation " + std::to_string(relation));
        }
        return all[relation];
    }

    static void refuse_delete(const relation_spec& spec, std::int64_t weight) {
        if (spec.append_only && weight < 0) {
            throw data_error("relation \"" + std::string(spec.name) +
                             "\": rows of an APPEND ONLY stream cannot be deleted");
        }
    }

    // The triggers of tables do not look at streams: nothing may be there yet.
    void refuse_late(const relation_spec& spec) const {
        if (spec.is_table && m_started != nullptr) {
            throw data_error("relation \"" + std::string(spec.name) + "\": a table cannot change after stream \"" +
                             m_started + "\" has; load tables first, or declare it as a STREAM");
        }
    }

    static void refuse_deletes(const relation_spec& spec, const std::int64_t* weights, std::size_t rows) {
        for (std::size_t row = 0; spec.append_only && weights != nullptr && row < rows; ++row) {
            refuse_delete(spec, weights[row]);
        }
    }

    // The batch, if it fits the relation.
    batch checked(std::uint32_t relation, const ArrowSchema* schema, const ArrowArray* array,
                  const std::int64_t* weights) const {
        const relation_spec& spec = relation_at(relation);
        if (schema == nullptr || array == nullptr || schema->release == nullptr || array->release == nullptr) {
            throw argument_error("the batch is missing or was already released");
        }
        const batch rows = named(spec, [&] {
            batch fits{*schema, *array, weights, spec.columns};
            check_batch(spec, fits);
            return fits;
        });
        refuse_late(spec);
        refuse_deletes(spec, weights, rows.size());
        return rows;
    }

    // Can the relation be changed by its key? False where nobody reads it, so that there is nothing to do.
    static bool goes_by_key(const relation_spec& spec, const char* what) {
        const auto said = [&](const char* why) { return "relation \"" + std::string(spec.name) + "\": " + what + why; };
        if (spec.key.empty()) {
            throw argument_error(said(" goes by PRIMARY KEY: declare one, or update the old row to the new one"));
        }
        if (spec.append_only) {
            throw data_error(said(" replaces rows, but those of an APPEND ONLY stream stay"));
        }
        if (spec.ledger == ledger_kind::allow) {
            throw argument_error(
                said(" needs the rows by key, which an engine built with unmatched=allow does not keep"));
        }
        return spec.ledger == ledger_kind::rows;
    }

    // --- changes --------------------------------------------------------------------------------------------------

    void change_batch(std::uint32_t relation, const batch& rows) {
        relation_ledger& ledger = m_ledgers[relation];
        ledger.rows(rows);
        keeping(ledger, [&] {
            changing(relation,
                     [&](std::int64_t sign) { m_engine.apply_batch(relation, sign < 0 ? rows.inverse() : rows); });
        });
    }

    // What was noted in the ledger is kept if the engine carries it out.
    template <class Change> static void keeping(relation_ledger& ledger, Change&& change) {
        try {
            change();
        } catch (...) {
            ledger.take_back();
            throw;
        }
        ledger.keep();
    }

    void change_row(std::uint32_t relation, const tg_value* values, std::int64_t weight) {
        const relation_spec& spec = relation_at(relation);
        changing(relation, [&](std::int64_t sign) {
            if (sign < 0 && spec.append_only) { // no trigger deletes a single row
                const row_batch undo(spec, values, -weight);
                m_engine.apply_batch(relation, undo.rows(spec.columns));
                return;
            }
            repeat(relation, values, sign * weight);
        });
    }

    void repeat(std::uint32_t relation, const tg_value* values, std::int64_t weight) {
        const std::int64_t step = weight < 0 ? -1 : 1;
        for (std::int64_t done = 0; done != weight; done += step) {
            m_engine.apply_row(relation, values, step);
        }
    }

    // One row for another, where there is one; taking it back is the same with the two exchanged.
    void exchange(std::uint32_t relation, const tg_value* before, const tg_value* after) {
        changing(relation, [&](std::int64_t sign) {
            const tg_value* out = sign > 0 ? before : after;
            const tg_value* in = sign > 0 ? after : before;
            if (out != nullptr) {
                m_engine.apply_row(relation, out, -1);
            }
            if (in != nullptr) {
                m_engine.apply_row(relation, in, 1);
            }
        });
    }

    // The same as `carry_out` for an event of one key, without the expense of a batch.
    void carry_out_one(std::uint32_t relation, relation_ledger& ledger) {
        const tg_value* before = nullptr;
        const tg_value* after = nullptr;
        ledger.effect([&](const tg_value* row) { before = row; }, [&](const tg_value* row) { after = row; });
        exchange(relation, before, after);
    }

    // The old rows of the keys that an event has touched go, the new ones come.
    void carry_out(std::uint32_t relation, relation_ledger& ledger) {
        change_rows rows(ledger);
        if (rows.size() == 0) {
            return;
        }
        const batch changes = rows.rows();
        changing(relation,
                 [&](std::int64_t sign) { m_engine.apply_batch(relation, sign < 0 ? changes.inverse() : changes); });
    }

    // Runs a change; on overflow runs its opposite, which restores the state, and reports.
    template <class Change> void changing(std::uint32_t relation, Change&& change) {
        m_torn = true; // until the change is through: an exception from inside leaves half of it behind
        change(std::int64_t{1});
        const bool overflow = m_engine.overflowed();
        const bool unreadable = m_engine.unreadable();
        if (overflow) {
            change(std::int64_t{-1});
            m_engine.clear_overflow();
        }
        m_torn = false;
        if (unreadable) {
            throw data_error("a CAST met a text that is no value of its type; the change was taken back");
        }
        if (overflow) {
            throw overflow_error("a sum or an expression left the range of its type; the change was taken back");
        }
        if (m_started == nullptr && !relation_at(relation).is_table) {
            start(relation_at(relation));
        }
    }

    // The first stream changes. From now on tables are fixed, and what was kept to judge their changes can go.
    void start(const relation_spec& stream) noexcept {
        m_started = stream.name;
        for (relation_ledger& ledger : m_ledgers) {
            if (ledger.relation().is_table) {
                ledger.forget();
            }
        }
    }

    template <class Make> static auto named(const relation_spec& relation, Make&& make) {
        const auto prefix = [&] { return "relation \"" + std::string(relation.name) + "\", "; };
        try {
            return make();
        } catch (const argument_error& error) {
            throw argument_error(prefix() + error.what());
        } catch (const data_error& error) {
            throw data_error(prefix() + error.what());
        }
    }

    Engine m_engine;
    std::vector<relation_ledger> m_ledgers;
    bool m_torn = false;
    const char* m_started = nullptr; // the first stream that changed
};

} // namespace detail

} // namespace tg
