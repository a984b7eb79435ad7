// A map without keys: one record that is always there, with the interface of keyed_map.
#pragma once

#include "keyed_map.hpp"

namespace tg {

template <class Record> class scalar_map {
public:
    // Absent when its payload says so: what is joined with it then contributes nothing.
    const Record* find() const { return m_record.vacant() ? nullptr : &m_record; }

    // A vacant record starts afresh, so that floating sums keep no residue of what is gone.
    template <class Change> void update(Change&& change) {
        change(m_record);
        sweep();
    }

    template <class Change> void update_deferred(Change&& change) { change(m_record); }

    void sweep() {
        if (m_record.vacant()) {
            m_record = Record{};
        }
    }

    const Record& record() const { return m_record; }
    void clear() { m_record = Record{}; }
    std::size_t size() const { return m_record.vacant() ? 0 : 1; }
    std::size_t bytes() const { return sizeof(Record); }
    map_stats stats() const { return {size(), bytes(), 1, 0, 0}; }

private:
    Record m_record{};
};

} // namespace tg
