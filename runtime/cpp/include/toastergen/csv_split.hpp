// Bytes to records: blocks of a file in, the fields of one row out. Knows quotes and line ends, no types.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace toastergen::csv {

// `quote` and `escape` are switched off by '\0'. An escape is honoured inside quotes only.
struct dialect {
    char delimiter = ',';
    char quote = '"';
    char escape = '\0';
};

// A window over a file that slides forward. Blocks are read, not mapped: pipes work too, and a file that
// shrinks while it is read is an early end instead of a bus error.
class block_input {
public:
    explicit block_input(const std::string& path, std::size_t block = std::size_t{1} << 20)
        : m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), m_buffer(block) {
        if (m_file < 0) {
            throw std::system_error(errno, std::generic_category(), "cannot open");
        }
    }
    block_input(const block_input&) = delete;
    block_input& operator=(const block_input&) = delete;
    block_input(block_input&&) = delete;
    block_input& operator=(block_input&&) = delete;
    ~block_input() { ::close(m_file); }

    [[nodiscard]] char* begin() { return m_buffer.data() + m_begin; }
    [[nodiscard]] char* end() { return m_buffer.data() + m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_begin; }
    [[nodiscard]] bool at_end() const { return m_at_end; }
    [[nodiscard]] std::uint64_t consumed() const { return m_consumed; }

    void consume(std::size_t bytes) {
        m_begin += bytes;
        m_consumed += bytes;
    }

    // Bring more bytes behind those not yet consumed. Invalidates pointers into the window.
    void refill() {
        if (m_begin > 0) {
            std::memmove(m_buffer.data(), begin(), size());
            m_end -= m_begin;
            m_begin = 0;
        }
        if (m_end == m_buffer.size()) {
            m_buffer.resize(m_buffer.size() * 2);
        }
        ssize_t got = -1;
        do {
            got = ::read(m_file, end(), m_buffer.size() - m_end);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            throw std::system_error(errno, std::generic_category(), "cannot read");
        }
        m_at_end = got == 0;
        m_end += static_cast<std::size_t>(got);
    }

private:
    int m_file;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::uint64_t m_consumed = 0;
    bool m_at_end = false;
};

struct field {
    std::string_view text;
    bool quoted = false;
};

struct record {
    std::vector<field> fields;
    std::uint64_t line = 0;      // where it starts, from 1
    const char* fault = nullptr; // what is wrong with its quotes, if anything
};

class splitter {
public:
    // No real row comes near this; a quote that is never closed does, and must not swallow the memory.
    static constexpr std::size_t longest_record = std::size_t{64} << 20;

    splitter(const std::string& path, dialect rules, std::size_t block = std::size_t{1} << 20)
        : m_input(path, block), m_rules(rules) {
        while (m_input.size() < 3 && !m_input.at_end()) {
            m_input.refill();
        }
        if (m_input.size() >= 3 && std::memcmp(m_input.begin(), "\xEF\xBB\xBF", 3) == 0) {
            m_input.consume(3);
        }
    }

    [[nodiscard]] std::uint64_t bytes_read() const { return m_input.consumed(); }

    // The next record, or false at the end. Its texts are valid until the next call. A record with a fault has no
    // usable fields; the one after it starts on the line after the fault's first line.
    bool next(record& out) {
        m_input.consume(std::exchange(m_pending, 0));
        m_line += std::exchange(m_pending_lines, 0);
        for (;;) {
            out.fields.clear();
            out.fault = nullptr;
            out.line = m_line;
            if (m_input.size() == 0 && m_input.at_end()) {
                return false;
            }
            if (scan(out)) {
                return true;
            }
            if (m_input.size() > longest_record) {
                return fail(out, "the row is longer than 64 MiB; is a quote left open?");
            }
            m_input.refill();
        }
    }

private:
    // Find the fields of the record at the start of the window; false if the window ends before the record does.
    bool scan(record& out) {
        const char* at = m_input.begin();
        const char* end = m_input.end();
        m_lines_inside = 0;
        for (;;) {
            field found;
            const bool quoted = m_rules.quote != '\0' && at < end && *at == m_rules.quote;
            const char* stop = quoted ? scan_quoted(at, end, found) : scan_plain(at, end, found);
            if (stop == nullptr) {
                if (m_input.at_end()) {
                    return fail(out, "the quote is never closed");
                }
                return false;
            }
            if (stop == end && !m_input.at_end()) {
                return false;
            }
            if (stop < end && *stop != m_rules.delimiter && *stop != '\n' && !is_crlf(stop, end)) {
                // A lone carriage return before the window's edge may be half of a line end.
                if (*stop == '\r' && stop + 1 == end && !m_input.at_end()) {
                    return false;
                }
                return fail(out, "text follows a closing quote");
            }
            out.fields.push_back(found);
            if (stop < end && *stop == m_rules.delimiter) {
                at = stop + 1;
                continue;
            }
            finish(out, stop, end);
            return true;
        }
    }

    [[nodiscard]] bool is_crlf(const char* at, const char* end) const {
        return *at == '\r' && (at + 1 < end ? at[1] == '\n' : m_input.at_end());
    }

    const char* scan_plain(const char* at, const char* end, field& out) const {
        const char* stop = at;
        while (stop < end && *stop != m_rules.delimiter && *stop != '\n') {
            ++stop;
        }
        const bool line_ends = stop == end || *stop == '\n';
        const bool carriage = line_ends && stop > at && stop[-1] == '\r';
        out.text = std::string_view(at, static_cast<std::size_t>(stop - at) - (carriage ? 1 : 0));
        return stop;
    }

    // The text between the quotes, still with its doubled quotes; `unescape` removes them once the record is whole.
    const char* scan_quoted(const char* at, const char* end, field& out) {
        const char* stop = at + 1;
        for (; stop < end; ++stop) {
            if (m_rules.escape != '\0' && *stop == m_rules.escape && *stop != m_rules.quote) {
                if (++stop == end) {
                    return nullptr;
                }
            } else if (*stop == m_rules.quote) {
                if (stop + 1 == end && !m_input.at_end()) {
                    return nullptr;
                }
                if (stop + 1 == end || stop[1] != m_rules.quote) {
                    out.text = std::string_view(at + 1, static_cast<std::size_t>(stop - at - 1));
                    out.quoted = true;
                    return stop + 1;
                }
                ++stop;
            }
            m_lines_inside += *stop == '\n' ? 1 : 0;
        }
        return nullptr;
    }

    void finish(record& out, const char* stop, const char* end) {
        const char* next = stop;
        while (next < end && *next == '\r') {
            ++next;
        }
        next += next < end ? 1 : 0;
        m_pending = static_cast<std::size_t>(next - m_input.begin());
        m_pending_lines = m_lines_inside + 1;
        for (field& each : out.fields) {
            if (each.quoted) {
                unescape(each);
            }
        }
    }

    // In place: the window is ours, and a record only ever gets shorter.
    void unescape(field& each) {
        const char escape = m_rules.escape == '\0' ? m_rules.quote : m_rules.escape;
        if (each.text.find(m_rules.quote) == std::string_view::npos &&
            each.text.find(escape) == std::string_view::npos) {
            return;
        }
        char* base = m_input.begin() + (each.text.data() - m_input.begin());
        char* to = base;
        for (std::size_t from = 0; from < each.text.size(); ++from) {
            const bool marks = each.text[from] == m_rules.quote || each.text[from] == escape;
            from += marks && from + 1 < each.text.size() ? 1 : 0;
            *to++ = each.text[from];
        }
        each.text = std::string_view(base, static_cast<std::size_t>(to - base));
    }

    bool fail(record& out, const char* why) {
        const void* newline = std::memchr(m_input.begin(), '\n', m_input.size());
        const char* next = newline == nullptr ? m_input.end() : static_cast<const char*>(newline) + 1;
        m_pending = static_cast<std::size_t>(next - m_input.begin());
        m_pending_lines = 1;
        out.fields.clear();
        out.fault = why;
        return true;
    }

    block_input m_input;
    dialect m_rules;
    std::uint64_t m_line = 1;
    std::size_t m_pending = 0;
    std::uint64_t m_pending_lines = 0;
    std::uint64_t m_lines_inside = 0;
};

} // namespace toastergen::csv
