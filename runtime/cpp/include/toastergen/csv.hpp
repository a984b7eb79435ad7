// A typed CSV reader: rows of a file straight into Arrow columns, with errors that name line, column and text.
#pragma once

#include "toastergen/csv_batch.hpp"
#include "toastergen/csv_split.hpp"
#include "toastergen/csv_value.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toastergen::csv {

// A row that does not fit; the message is complete.
class bad_row : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// `detect` takes a first line of exactly the column names for a header, unless all columns are strings: then such
// a line could be data, and dropping data in silence is worse than asking for `present`.
enum class header : std::uint8_t { absent, present, detect };

struct options {
    dialect rules;
    header first_line = header::detect;
    std::string null; // a field of exactly this text, not in quotes, is NULL where a column can be NULL
    bool skip_bad_rows = false;
    std::size_t batch_rows = std::size_t{1} << 16;
    std::size_t block_bytes = std::size_t{1} << 20;
};

class reader {
public:
    // `label` names the file in messages; it need not be its path.
    reader(const std::string& path, std::string label, std::vector<column_spec> columns, options settings)
        : m_label(std::move(label)), m_columns(std::move(columns)), m_settings(std::move(settings)),
          m_splitter(path, m_settings.rules, m_settings.block_bytes) {
        for (std::size_t at = 0; at < m_columns.size(); ++at) {
            m_targets.push_back(at);
        }
    }

    // The next batch, or false when the file is exhausted. Throws bad_row, or std::system_error if reading fails.
    bool next(batch& out) {
        out = batch{};
        for (const column_spec& spec : m_columns) {
            out.columns.emplace_back(spec);
        }
        if (!m_started) {
            m_started = true;
            read_first(out);
        }
        while (out.rows < m_settings.batch_rows && !text_is_full(out) && m_splitter.next(m_record)) {
            take(out);
        }
        m_rows += out.rows;
        return out.rows > 0;
    }

    [[nodiscard]] std::uint64_t rows_read() const { return m_rows; }
    [[nodiscard]] std::uint64_t rows_rejected() const { return m_rejected; }
    [[nodiscard]] std::uint64_t bytes_read() const { return m_splitter.bytes_read(); }
    [[nodiscard]] const std::vector<std::string>& messages() const { return m_messages; }
    [[nodiscard]] const std::vector<column_spec>& columns() const { return m_columns; }

private:
    static constexpr std::size_t kept_messages = 5;

    // One more record of any legal length must still fit 32-bit string offsets.
    static bool text_is_full(const batch& rows) {
        return std::any_of(rows.columns.begin(), rows.columns.end(),
                           [](const column& each) { return each.text_bytes() > (std::size_t{1} << 30); });
    }

    void read_first(batch& out) {
        if (m_settings.first_line == header::absent || !m_splitter.next(m_record)) {
            return;
        }
        if (m_settings.first_line == header::present) {
            const std::string problem = read_header();
            if (!problem.empty()) {
                throw bad_row(at_line() + problem);
            }
            return;
        }
        const bool all_text = std::all_of(m_columns.begin(), m_columns.end(),
                                          [](const column_spec& each) { return each.type.what == kind::string; });
        if (all_text || !read_header().empty()) {
            take(out);
        }
    }

    // Learn the order of the columns from the record; empty if it names each column exactly once.
    std::string read_header() {
        if (m_record.fault != nullptr) {
            return m_record.fault;
        }
        drop_trailing_field();
        std::vector<std::size_t> targets;
        for (const field& name : m_record.fields) {
            const auto found = std::find_if(m_columns.begin(), m_columns.end(),
                                            [&](const column_spec& each) { return same_word(each.name, name.text); });
            if (found == m_columns.end()) {
                return "the header names " + quoted(name.text) + ", which is not a column of the relation";
            }
            const auto target = static_cast<std::size_t>(found - m_columns.begin());
            if (std::find(targets.begin(), targets.end(), target) != targets.end()) {
                return "the header names column " + quoted(name.text) + " twice";
            }
            targets.push_back(target);
        }
        for (std::size_t at = 0; at < m_columns.size(); ++at) {
            if (std::find(targets.begin(), targets.end(), at) == targets.end()) {
                return "the header lacks column " + quoted(m_columns[at].name);
            }
        }
        m_targets = std::move(targets);
        return {};
    }

    void take(batch& out) {
        if (is_blank()) {
            return;
        }
        const std::string problem = append(out);
        if (problem.empty()) {
            ++out.rows;
            return;
        }
        for (column& each : out.columns) {
            each.truncate(out.rows);
        }
        std::string message = at_line() + problem;
        if (!m_settings.skip_bad_rows) {
            throw bad_row(message);
        }
        ++m_rejected;
        if (m_messages.size() < kept_messages) {
            m_messages.push_back(std::move(message));
        }
    }

    // An empty line is no row, except where the relation is one string and an empty line is an empty string.
    [[nodiscard]] bool is_blank() const {
        const bool empty = m_record.fields.size() == 1 && m_record.fields[0].text.empty() && !m_record.fields[0].quoted;
        return empty && !(m_columns.size() == 1 && m_columns[0].type.what == kind::string);
    }

    // dbgen ends every line of a .tbl file with a delimiter.
    void drop_trailing_field() {
        auto& fields = m_record.fields;
        if (fields.size() == m_columns.size() + 1 && fields.back().text.empty() && !fields.back().quoted) {
            fields.pop_back();
        }
    }

    std::string append(batch& out) {
        if (m_record.fault != nullptr) {
            return m_record.fault;
        }
        drop_trailing_field();
        if (m_record.fields.size() != m_columns.size()) {
            return std::to_string(m_record.fields.size()) + " fields where the relation has " +
                   std::to_string(m_columns.size()) + " columns";
        }
        for (std::size_t at = 0; at < m_columns.size(); ++at) {
            const std::string_view text = m_record.fields[at].text;
            column& target = out.columns[m_targets[at]];
            if (target.nullable() && !m_record.fields[at].quoted && text == m_settings.null) {
                target.append_null();
                continue;
            }
            const verdict found = target.append(text);
            if (found != verdict::ok) {
                return explain(m_columns[m_targets[at]], text, found);
            }
        }
        return {};
    }

    static std::string explain(const column_spec& spec, std::string_view text, verdict found) {
        const std::string where = "column " + quoted(spec.name) + ": ";
        const std::string type = type_name(spec.type);
        const std::string article = spec.type.what == kind::int32 ? " an " : " a ";
        if (spec.type.what == kind::string) {
            return where + quoted(text) + " is not valid UTF-8";
        }
        if (text.empty()) {
            return where + "the field is empty, but" + article + type + " is needed";
        }
        if (found == verdict::inexact) {
            return where + quoted(text) + " has too many fractional digits for" + article + type;
        }
        if (found == verdict::out_of_range) {
            return where + quoted(text) + " is out of the range of" + article + type;
        }
        return where + quoted(text) + " is not" + article + type;
    }

    [[nodiscard]] std::string at_line() const { return m_label + ":" + std::to_string(m_record.line) + ": "; }

    std::string m_label;
    std::vector<column_spec> m_columns;
    options m_settings;
    splitter m_splitter;
    record m_record;
    std::vector<std::size_t> m_targets; // field position -> column
    bool m_started = false;
    std::uint64_t m_rows = 0;
    std::uint64_t m_rejected = 0;
    std::vector<std::string> m_messages;
};

} // namespace toastergen::csv
