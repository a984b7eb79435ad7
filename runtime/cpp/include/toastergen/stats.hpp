// The statistics of a map as JSON.
#pragma once

#include "keyed_map.hpp"

#include <cstdio>
#include <string>

namespace tg {

inline void append_stats(std::string& json, const char* name, const map_stats& stats, bool first) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "\"rows\": %zu, \"bytes\": %zu, \"capacity\": %zu, \"max_probe\": %zu, \"mean_probe\": %.3f}",
                  stats.rows, stats.bytes, stats.capacity, stats.max_probe, stats.mean_probe);
    json += first ? "" : ", ";
    json += "{\"name\": \"";
    json += name; // map names are plain identifiers
    json += "\", ";
    json += text;
}

} // namespace tg
