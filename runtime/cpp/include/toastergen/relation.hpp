// What an engine says about the relations it listens to.
#pragma once

#include "arrow_batch.hpp"

#include <span>

namespace tg {

// What is known of a relation's rows beside the maps, so that a delete of a row that is not there is an error.
enum class ledger_kind : std::uint8_t {
    allow,  // nothing: the engine was built for deletes that match no row
    unread, // nothing: no view reads the relation, so no change of it can make one wrong
    grows,  // nothing: rows are never deleted
    counts, // how often each row is there
    keys,   // which keys are there; rows are never deleted
    rows,   // the row of each key
};

struct relation_spec {
    const char* name;
    std::span<const column_spec> columns;
    bool append_only = false;
    bool is_table = false; // fixed as soon as a stream has changed
    ledger_kind ledger = ledger_kind::allow;
    std::span<const std::uint32_t> key = {}; // positions of the primary key's columns
};

} // namespace tg
