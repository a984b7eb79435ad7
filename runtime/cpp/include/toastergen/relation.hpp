// What an engine says about the relations it listens to.
#pragma once

#include "arrow_batch.hpp"

#include <span>

namespace tg {

struct relation_spec {
    const char* name;
    std::span<const column_spec> columns;
    bool append_only = false;
    bool is_table = false; // fixed as soon as a stream has changed
};

} // namespace tg
