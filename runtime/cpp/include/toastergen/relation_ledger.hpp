// The rows of one relation as the border knows them, so that no delete is believed blindly and keys are unique.
//
// Every event is noted first: what does not fit throws and leaves the ledger as it was. Then the engine carries it out,
// and the note is kept, or taken back together with the change of the engine.
#pragma once

#include "arrow_table.hpp"
#include "count_ledger.hpp"
#include "row_code.hpp"
#include "row_ledger.hpp"
#include "row_text.hpp"

#include <string>
#include <unordered_map>

namespace tg {

// A row that is deleted more often than it is there.
class unmatched_error : public data_error {
public:
    using data_error::data_error;
};

// A key that would be there twice.
class key_error : public data_error {
public:
    using data_error::data_error;
};

class relation_ledger {
public:
    explicit relation_ledger(const relation_spec& relation) : m_relation(&relation), m_code(relation) {}

    // --- events -------------------------------------------------------------------------------------------------

    void row(const tg_value* values, std::int64_t weight) {
        if (counts()) {
            m_noted.assign(1, {mark(values), weight});
            count_noted([&](std::size_t) { return values; }, false);
        } else if (keeps_rows() && weight != 0) {
            undone_on_failure([&] { keyed(values, weight, 0); });
        }
    }

    void update(const tg_value* before, const tg_value* after) {
        if (counts()) {
            if (m_counts.count(mark(before)) < 1) { // asked apart: a row that is updated to itself must be there too
                throw unmatched_error(place(0) + row_text(*m_relation, before) + " is updated but is not there");
            }
            m_noted.assign({{mark(before), -1}, {mark(after), 1}});
            count_noted([&](std::size_t at) { return at == 0 ? before : after; }, false);
        } else if (keeps_rows()) {
            undone_on_failure([&] {
                keyed(before, -1, 0);
                keyed(after, 1, 0);
            });
        }
    }

    // A batch is one change: what is inserted and deleted in it cancels, in whatever order it stands.
    void rows(const batch& changes) {
        if (counts()) {
            note(changes);
        } else if (keeps_rows() && !in_order(changes)) {
            undone_on_failure([&] { netted(changes); });
        }
    }

    // Rows one after the other, each with its operation of `tg_operation`; only where rows are kept by key.
    void operations(const batch& changes, const std::uint8_t* operations) {
        const row_reader reader(changes, m_relation->columns);
        m_values.resize(m_code.width());
        undone_on_failure([&] {
            for (std::size_t at = 0; at < changes.size(); ++at) {
                reader.read(at, m_values.data());
                operation(m_values.data(), operations[at], at + 1);
            }
        });
    }

    void upsert(const tg_value* values) {
        undone_on_failure([&] { operation(values, TG_UPSERT, 0); });
    }

    // The values of the key, in the order in which it is declared.
    void erase_key(const tg_value* key) {
        m_code.encode_key(key, m_bytes);
        const std::uint32_t id = m_rows.find(m_bytes);
        if (!m_rows.is_there(id)) {
            m_values.resize(m_code.width());
            for (std::size_t at = 0; at < m_relation->key.size(); ++at) {
                m_values[m_relation->key[at]] = key[at];
            }
            throw unmatched_error(place(0) + "no row has " + key_text(*m_relation, m_values.data()));
        }
        m_rows.erase(id);
    }

    void keep() noexcept {
        for (const std::size_t at : m_emptied) {
            m_counts.settle(m_noted[at].row);
        }
        m_emptied.clear();
        m_noted.clear();
        m_rows.keep([this](std::string_view row) { return m_code.key_size(row); });
    }

    void take_back() noexcept {
        for (std::size_t at = m_noted.size(); at-- > 0;) {
            if (m_noted[at].weight != 0) {
                m_counts.take_back(m_noted[at].row, m_noted[at].weight);
            }
        }
        for (const noted& change : m_noted) {
            if (change.weight != 0) {
                m_counts.settle(change.row);
            }
        }
        m_emptied.clear();
        m_noted.clear();
        m_rows.take_back([this](std::string_view row) { return m_code.key_size(row); });
    }

    // Gives all memory back; for a relation that does not change any more.
    void forget() noexcept {
        m_counts = {};
        m_rows = {};
    }

    // --- what an event by key means
    // -----------------------------------------------------------------------------------

    // Calls `out` with an old row, and `in` with a new one, for each key whose row the event changes. Both may be used
    // until the next call.
    template <class Out, class In> void effect(Out&& out, In&& in) {
        m_values.resize(m_code.width());
        m_after.resize(m_code.width());
        for (const row_ledger::step& change : m_rows.steps()) {
            const std::string_view now = m_rows.row(change.id);
            if (change.was_there && change.is_there && m_rows.view(change.before) == now) {
                continue;
            }
            if (change.was_there) {
                m_code.decode(m_rows.view(change.before), m_values.data());
                out(m_values.data());
            }
            if (change.is_there) {
                m_code.decode(now, m_after.data());
                in(m_after.data());
            }
        }
    }

    const relation_spec& relation() const { return *m_relation; }
    std::size_t size() const { return keeps_rows() ? m_rows.rows() : m_counts.rows(); }
    std::size_t bytes() const { return m_rows.bytes() + m_counts.bytes() + m_noted.capacity() * sizeof(noted); }

private:
    struct noted {
        fingerprint row;
        std::int64_t weight;
    };

    static constexpr std::size_t ahead = 8; // rows: as long as memory takes to answer

    bool counts() const { return m_relation->ledger == ledger_kind::counts || m_relation->ledger == ledger_kind::keys; }
    bool keeps_rows() const { return m_relation->ledger == ledger_kind::rows; }

    std::string place(std::size_t row) const {
        const std::string name = "relation \"" + std::string(m_relation->name) + "\"";
        return row == 0 ? name + ": " : name + ", row " + std::to_string(row) + ": ";
    }

    template <class Work> void undone_on_failure(Work&& work) {
        try {
            work();
        } catch (...) {
            take_back();
            throw;
        }
    }

    // --- counts
    // -------------------------------------------------------------------------------------------------------

    fingerprint mark(const tg_value* values) const {
        return m_relation->ledger == ledger_kind::keys ? m_mark(values, m_relation->key)
                                                       : m_mark(values, m_relation->columns.size());
    }

    void note(const batch& changes) {
        const row_reader reader(changes, m_relation->columns);
        m_values.resize(m_code.width());
        m_noted.clear();
        m_noted.reserve(changes.size());
        for (std::size_t at = 0; at < changes.size(); ++at) {
            reader.read(at, m_values.data());
            m_noted.push_back({mark(m_values.data()), changes.weight(at)});
        }
        const auto values = [&](std::size_t at) {
            reader.read(at, m_values.data());
            return m_values.data();
        };
        count_noted(values, true);
    }

    // Counts what is noted, all of it or nothing. `values` are those of a noted row, for the message.
    template <class Values> void count_noted(Values&& values, bool is_batch) {
        const std::int64_t most =
            m_relation->ledger == ledger_kind::keys ? 1 : std::numeric_limits<std::int64_t>::max();
        m_suspects.clear();
        m_emptied.clear();
        m_suspects.reserve(m_noted.size()); // nothing may fail between a count and its note
        m_emptied.reserve(m_noted.size());
        std::size_t done = 0;
        try {
            for (; done < m_noted.size(); ++done) {
                if (done + ahead < m_noted.size()) {
                    m_counts.prefetch(m_noted[done + ahead].row);
                }
                count_one(done, most, [&] { return place(is_batch ? done + 1 : 0); });
            }
        } catch (...) {
            m_noted.resize(done);
            take_back();
            throw;
        }
        // A count that ends below zero was there after its last change.
        for (const std::size_t at : m_suspects) {
            const std::int64_t left = m_counts.count(m_noted[at].row);
            if (left < 0 || left > most) {
                const std::string message = complaint(at, left, values, is_batch);
                take_back();
                left < 0 ? throw unmatched_error(message) : throw key_error(message);
            }
        }
    }

    template <class Place> void count_one(std::size_t at, std::int64_t most, Place&& where) {
        if (m_noted[at].weight == 0) {
            return;
        }
        std::int64_t count = 0;
        if (!m_counts.add(m_noted[at].row, m_noted[at].weight, count)) {
            throw data_error(where() + "the row would be there more often than 64 bits can count");
        }
        if (count < 0 || count > most) {
            m_suspects.push_back(at);
        } else if (count == 0) {
            m_emptied.push_back(at);
        }
    }

    template <class Values>
    std::string complaint(std::size_t suspect, std::int64_t left, Values&& values, bool is_batch) const {
        const fingerprint row = m_noted[suspect].row;
        std::int64_t change = 0;
        std::size_t first = m_noted.size();
        for (std::size_t at = 0; at < m_noted.size(); ++at) {
            if (m_noted[at].row == row) {
                change += m_noted[at].weight;
                first = first == m_noted.size() && (m_noted[at].weight < 0) == (left < 0) ? at : first;
            }
        }
        if (left > 0) {
            return place(is_batch ? suspect + 1 : 0) + "the key " + key_text(*m_relation, values(suspect)) +
                   " is there already";
        }
        const std::string text = place(is_batch ? first + 1 : 0) + row_text(*m_relation, values(first));
        if (left == change) {
            return text + " is deleted but is not there";
        }
        return text + " is deleted " + std::to_string(-change) + " times but is there only " +
               std::to_string(left - change) + (left - change == 1 ? " time" : " times");
    }

    // --- rows by key
    // --------------------------------------------------------------------------------------------------

    // `at` is the row's number in its batch, or 0.
    void keyed(const tg_value* values, std::int64_t weight, std::size_t at) {
        if (weight > 1 || weight < -1) {
            const std::string times = std::to_string(weight < 0 ? -weight : weight) + " times";
            const std::string text = place(at) + row_text(*m_relation, values);
            weight > 0 ? throw key_error(text + " is inserted " + times + ", but its key can be there only once")
                       : throw unmatched_error(text + " is deleted " + times + ", but its key is there only once");
        }
        operation(values, weight > 0 ? TG_INSERT : TG_DELETE, at);
    }

    void operation(const tg_value* values, std::uint8_t what, std::size_t at) {
        const std::size_t key_size = m_code.encode(values, m_bytes);
        const std::uint32_t id = m_rows.find(std::string_view(m_bytes).substr(0, key_size));
        const bool is_there = m_rows.is_there(id);
        const bool is_same = is_there && m_rows.row(id) == m_bytes;
        if (what == TG_INSERT && is_there) {
            throw key_error(place(at) + "the key " + key_text(*m_relation, values) + " is there already, in the row " +
                            stored_text(id));
        }
        if (what == TG_DELETE && !is_same) {
            throw unmatched_error(place(at) + row_text(*m_relation, values) + " is deleted but is not there" +
                                  (is_there ? "; that key has the row " + stored_text(id) : ""));
        }
        if ((what == TG_UPDATE || what == TG_DELETE_KEY) && !is_there) {
            throw unmatched_error(place(at) + "no row has " + key_text(*m_relation, values));
        }
        if (what == TG_DELETE || what == TG_DELETE_KEY) {
            m_rows.erase(id);
        } else if (id == nil) {
            m_rows.insert(m_bytes, key_size);
        } else if (!is_same) {
            m_rows.replace(id, m_bytes);
        }
    }

    std::string stored_text(std::uint32_t id) const {
        std::vector<tg_value> values(m_code.width());
        m_code.decode(m_rows.row(id), values.data());
        return row_text(*m_relation, values.data());
    }

    // Most batches are fine as they stand, row by row. False, and nothing noted, where one is not.
    bool in_order(const batch& changes) {
        const row_reader reader(changes, m_relation->columns);
        m_values.resize(m_code.width());
        try {
            for (std::size_t at = 0; at < changes.size(); ++at) {
                if (const std::int64_t weight = changes.weight(at); weight != 0) {
                    reader.read(at, m_values.data());
                    keyed(m_values.data(), weight, at + 1);
                }
            }
            return true;
        } catch (const data_error&) {
            take_back();
            return false;
        } catch (...) {
            take_back();
            throw;
        }
    }

    // Sums each row's changes, then the deletes, then the inserts.
    void netted(const batch& changes) {
        struct net {
            std::int64_t weight = 0;
            std::size_t row = 0; // the first of them
        };
        const row_reader reader(changes, m_relation->columns);
        std::unordered_map<std::string, net> nets;
        std::vector<const net*> order;
        for (std::size_t at = 0; at < changes.size(); ++at) {
            reader.read(at, m_values.data());
            m_code.encode(m_values.data(), m_bytes);
            const auto [found, is_new] = nets.try_emplace(m_bytes, net{0, at});
            if (is_new) {
                order.push_back(&found->second);
            }
            if (__builtin_add_overflow(found->second.weight, changes.weight(at), &found->second.weight)) {
                throw data_error(place(at + 1) + "the row would be there more often than 64 bits can count");
            }
        }
        for (const bool deletes : {true, false}) {
            for (const net* each : order) {
                if (each->weight != 0 && (each->weight < 0) == deletes) {
                    reader.read(each->row, m_values.data());
                    keyed(m_values.data(), each->weight, each->row + 1);
                }
            }
        }
    }

    const relation_spec* m_relation;
    row_code m_code;
    fingerprinter m_mark;
    count_ledger m_counts;
    row_ledger m_rows;

    std::vector<noted> m_noted; // the event on its way, where rows are counted
    std::vector<std::size_t> m_suspects;
    std::vector<std::size_t> m_emptied;
    std::vector<tg_value> m_values;
    std::vector<tg_value> m_after;
    std::string m_bytes;
};

} // namespace tg
