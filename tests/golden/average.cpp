// Triggers of the engine average. Above each block stands the M3 statement it carries out.
#include "engine.hpp"

#include <array>
#include <limits>
#include <stdexcept>

namespace average_program {

void engine::insert_readings(std::string_view sensor, double value) {
    // mean.count[][sensor] += {sensor LIKE 'a%'};
    // mean.sum_value[][sensor] += {sensor LIKE 'a%'} * [value];
    if (tg::like(sensor, std::string_view("a%", 2), '\0')) {
        m_mean.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, std::int64_t{1});
            tg::accumulate(m_overflow, record.sum_value, value);
        }, sensor);
    }
}

void engine::delete_readings(std::string_view sensor, double value) {
    // mean.count[][sensor] += {sensor LIKE 'a%'} * [-1L];
    // mean.sum_value[][sensor] += {sensor LIKE 'a%'} * [-1L] * [value];
    if (tg::like(sensor, std::string_view("a%", 2), '\0')) {
        m_mean.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, std::int64_t{-1});
            tg::accumulate(m_overflow, record.sum_value, (0.0 - value));
        }, sensor);
    }
}

void engine::batch_readings(const tg::batch& rows) {
    const auto sensor = rows.texts(0);
    const auto value = rows.doubles(1);

    // mean.count[][sensor] += AggSum([sensor], (DELTA readings)(sensor, value) * {sensor LIKE 'a%'});
    // mean.sum_value[][sensor] += AggSum([sensor], (DELTA readings)(sensor, value) * {sensor LIKE 'a%'} * [value]);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (tg::like(sensor[at], std::string_view("a%", 2), '\0')) {
            m_mean.update_deferred([&](auto& record) {
                tg::accumulate(m_overflow, record.count, rows.weight(at));
                tg::accumulate(m_overflow, record.sum_value, tg::product(rows.weight(at), value[at]));
            }, sensor[at]);
        }
    }
    m_mean.sweep();
}
