// What an event by key means for an engine, as a batch: old rows with weight -1, new rows with weight +1.
#pragma once

#include "relation_ledger.hpp"

#include <cstdio>
#include <vector>

namespace tg {

// Holds the rows of the batch. Not movable: the batch points into it.
class change_rows {
public:
    explicit change_rows(relation_ledger& ledger) : m_relation(&ledger.relation()) {
        table_builder out(m_relation->columns);
        const auto add = [&](const tg_value* values, std::int64_t weight) {
            for (std::size_t c = 0; c < m_relation->columns.size(); ++c) {
                append(out, c, m_relation->columns[c], values[c]);
            }
            m_weights.push_back(weight);
        };
        ledger.effect([&](const tg_value* before) { add(before, -1); }, [&](const tg_value* after) { add(after, 1); });
        out.finish(&m_schema, &m_array);
    }

    ~change_rows() {
        if (m_schema.release != nullptr) {
            m_schema.release(&m_schema);
            m_array.release(&m_array);
        }
    }

    change_rows(const change_rows&) = delete;
    change_rows& operator=(const change_rows&) = delete;

    std::size_t size() const { return m_weights.size(); }
    batch rows() const { return {m_schema, m_array, m_weights.data(), m_relation->columns}; }

private:
    static void append(table_builder& out, std::size_t c, const column_spec& column, const tg_value& value) {
        switch (value.kind) {
        case TG_NULL:
            return out.append_null(c);
        case TG_DOUBLE:
            return out.append(c, value.d);
        case TG_DECIMAL:
            return out.append(c, detail::wide(value));
        case TG_BOOL:
            return out.append(c, value.i != 0);
        case TG_STRING:
            return out.append(c, std::string_view(value.s.data, value.s.size));
        default:
            return detail::is_narrow(column.format) ? out.append(c, static_cast<std::int32_t>(value.i))
                                                    : out.append(c, value.i);
        }
    }

    const relation_spec* m_relation;
    std::vector<std::int64_t> m_weights;
    ArrowSchema m_schema{};
    ArrowArray m_array{};
};

// The statistics of a ledger as JSON.
inline void append_ledger(std::string& json, const relation_ledger& ledger, bool is_first) {
    static constexpr const char* kinds[] = {"", "", "", "counts", "keys", "rows"};
    json += is_first ? "{\"relation\": \"" : ", {\"relation\": \"";
    for (const char* at = ledger.relation().name; *at != '\0'; ++at) {
        if (static_cast<unsigned char>(*at) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(*at)));
            json += escape;
        } else {
            json += *at == '"' || *at == '\\' ? std::string{'\\', *at} : std::string{*at};
        }
    }
    json += "\", \"kind\": \"" + std::string(kinds[static_cast<std::size_t>(ledger.relation().ledger)]) +
            "\", \"rows\": " + std::to_string(ledger.size()) + ", \"bytes\": " + std::to_string(ledger.bytes()) + "}";
}

} // namespace tg
