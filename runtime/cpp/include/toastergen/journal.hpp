// What the records of a map were before the current event, for the derived relations that mirror them.
#pragma once

#include <cstddef>
#include <vector>

namespace tg {

// Records carry a mark `touched`, so that each is copied once per event however often it changes. They must not be
// erased while the journal holds them: maps with a journal erase by `update_deferred` and `sweep`.
template <class Record> class journal {
public:
    void note(Record& record) {
        if (!record.touched) {
            m_entries.push_back({&record, record});
            record.touched = true;
        }
    }

    // Calls `visit(before, after)` for every record touched, and forgets them.
    template <class Visit> void replay(Visit&& visit) {
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            Record& now = *m_entries[i].record;
            now.touched = false;
            visit(static_cast<const Record&>(m_entries[i].before), static_cast<const Record&>(now));
        }
        m_entries.clear();
    }

private:
    struct entry {
        Record* record;
        Record before;
    };

    std::vector<entry> m_entries;
};

} // namespace tg
