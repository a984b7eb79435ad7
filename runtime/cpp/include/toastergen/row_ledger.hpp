// The row of each key, as bytes, and a journal of one event: the event is kept or taken back as a whole.
#pragma once

#include "hash.hpp"
#include "text.hpp"
#include "unique_index.hpp"

#include <string_view>
#include <vector>

namespace tg {

class row_ledger {
public:
    // A key that the event on its way has touched.
    struct step {
        std::uint32_t id = nil;
        text before;              // the row when the event began
        bool was_there = false;   // before the event
        bool is_there = false;    // now
        bool is_replaced = false; // the stored row is not `before`
    };

    // The id of a key, or nil. A key that the event has deleted is found as well: ask `is_there`.
    std::uint32_t find(std::string_view key) const {
        return m_index.find(hash(key), [&](std::uint32_t id) { return m_arena.view(m_rows[id]).starts_with(key); });
    }

    bool is_there(std::uint32_t id) const {
        return id != nil && (m_marks[id] == 0 || m_steps[m_marks[id] - 1].is_there);
    }

    // Short rows are read where they are: valid until the next change.
    std::string_view row(std::uint32_t id) const { return m_arena.view(m_rows[id]); }
    std::string_view view(const text& stored) const { return m_arena.view(stored); }

    // The key must not be known.
    void insert(std::string_view row, std::size_t key_size) {
        m_index.reserve_one();
        reserve_id();
        m_steps.reserve(m_steps.size() + 1 > m_steps.capacity() ? m_steps.capacity() * 2 + 8 : 0);
        const text stored = m_arena.store(row);
        const std::uint32_t id = take_id();
        m_rows[id] = stored;
        m_index.insert(hash(row.substr(0, key_size)), id);
        note(id, false).is_there = true;
    }

    // A row of the same key in place of the stored one.
    void replace(std::uint32_t id, std::string_view row) {
        step& change = touched(id);
        const text stored = m_arena.store(row);
        if (change.is_replaced || !change.was_there) {
            m_arena.release(m_rows[id]);
        }
        change.is_replaced = true;
        change.is_there = true;
        m_rows[id] = stored;
    }

    void erase(std::uint32_t id) { touched(id).is_there = false; }

    // The keys that the event has touched, in the order in which it did.
    const std::vector<step>& steps() const { return m_steps; }

    // The event is done.
    template <class KeySize> void keep(KeySize&& key_size) noexcept {
        for (step& change : m_steps) {
            m_marks[change.id] = 0;
            if (!change.is_there) {
                drop(change.id, key_size);
            }
            if (change.was_there && change.is_replaced) {
                m_arena.release(change.before);
            }
        }
        m_steps.clear();
    }

    // The event never was.
    template <class KeySize> void take_back(KeySize&& key_size) noexcept {
        for (step& change : m_steps) {
            m_marks[change.id] = 0;
            if (!change.was_there) {
                drop(change.id, key_size);
            } else if (change.is_replaced) {
                m_arena.release(m_rows[change.id]);
                m_rows[change.id] = change.before;
            }
        }
        m_steps.clear();
    }

    std::size_t rows() const { return m_index.size(); }
    std::size_t bytes() const {
        return m_index.bytes() + m_arena.bytes() + m_rows.capacity() * sizeof(text) +
               (m_marks.capacity() + m_free.capacity()) * sizeof(std::uint32_t) + m_steps.capacity() * sizeof(step);
    }

private:
    static std::uint32_t hash(std::string_view key) { return short_hash(hash_of(key)); }

    // Everything that can fail when a row comes, and when it goes.
    void reserve_id() {
        if (!m_free.empty()) {
            return;
        }
        if (m_rows.size() == m_rows.capacity()) {
            const std::size_t more = m_rows.capacity() * 2 + 8;
            m_rows.reserve(more);
            m_marks.reserve(more);
            m_free.reserve(more);
        }
    }

    std::uint32_t take_id() {
        if (!m_free.empty()) {
            const std::uint32_t id = m_free.back();
            m_free.pop_back();
            return id;
        }
        m_rows.emplace_back();
        m_marks.push_back(0);
        return static_cast<std::uint32_t>(m_rows.size() - 1);
    }

    step& note(std::uint32_t id, bool was_there) {
        m_steps.push_back({id, was_there ? m_rows[id] : text{}, was_there, was_there, false});
        m_marks[id] = static_cast<std::uint32_t>(m_steps.size());
        return m_steps.back();
    }

    step& touched(std::uint32_t id) { return m_marks[id] == 0 ? note(id, true) : m_steps[m_marks[id] - 1]; }

    template <class KeySize> void drop(std::uint32_t id, KeySize& key_size) noexcept {
        const std::string_view row = m_arena.view(m_rows[id]);
        m_index.erase(hash(row.substr(0, key_size(row))), id);
        m_arena.release(m_rows[id]);
        m_free.push_back(id);
    }

    unique_index m_index;
    text_arena m_arena;
    std::vector<text> m_rows;
    std::vector<std::uint32_t> m_marks; // by id: the step of the event that touched the key, counted from 1
    std::vector<std::uint32_t> m_free;
    std::vector<step> m_steps;
};

} // namespace tg
