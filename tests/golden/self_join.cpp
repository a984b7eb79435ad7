// Triggers of the engine self_join. Above each block stands the M3 statement it carries out.
#include "engine.hpp"

#include <array>
#include <limits>
#include <stdexcept>

namespace self_join_program {

void engine::insert_follows(std::int32_t a, std::int32_t b) {
    // two_steps.count[][] += follows_by_x_b.count[][b];
    if (const auto* follows = m_follows_by_x_b.find(b)) {
        m_two_steps.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(follows->count));
        });
    }

    // two_steps.count[][] += follows_by_x_b_2.count[][a];
    if (const auto* follows = m_follows_by_x_b_2.find(a)) {
        m_two_steps.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(follows->count));
        });
    }

    // two_steps.count[][] += {b = a};
    if (b == a) {
        m_two_steps.update([&](auto& record) { tg::accumulate(m_overflow, record.count, std::int64_t{1}); });
    }

    // follows_by_x_b.count[][a] += [1L];
    m_follows_by_x_b.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
    }, a);

    // follows_by_x_b_2.count[][b] += [1L];
    m_follows_by_x_b_2.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
    }, b);
}

void engine::delete_follows(std::int32_t a, std::int32_t b) {
    // two_steps.count[][] += follows_by_x_b.count[][b] * [-1L];
    if (const auto* follows = m_follows_by_x_b.find(b)) {
        m_two_steps.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(follows->count)));
        });
    }

    // two_steps.count[][] += follows_by_x_b_2.count[][a] * [-1L];
    if (const auto* follows = m_follows_by_x_b_2.find(a)) {
        m_two_steps.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(follows->count)));
        });
    }

    // two_steps.count[][] += {b = a};
    if (b == a) {
        m_two_steps.update([&](auto& record) { tg::accumulate(m_overflow, record.count, std::int64_t{1}); });
    }

    // follows_by_x_b.count[][a] += [-1L];
    m_follows_by_x_b.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
    }, a);

    // follows_by_x_b_2.count[][b] += [-1L];
    m_follows_by_x_b_2.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
    }, b);
}

void engine::batch_follows(const tg::batch& rows) {
    const auto a = rows.ints(0);
    const auto b = rows.ints(1);

    m_delta_follows_by_x_b.clear();
    m_delta_follows_by_x_b_2.clear();

    // delta_follows_by_x_b.count[][x_b] := AggSum([x_b], (DELTA follows)(x_a, x_b));
    // delta_follows_by_x_b_2.count[][x_b] := AggSum([x_b], (DELTA follows)(x_b, y_b));
    for (std::size_t at = 0; at < rows.size(); ++at) {
        m_delta_follows_by_x_b.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
        }, b[at]);
        m_delta_follows_by_x_b_2.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
        }, a[at]);
    }

    // two_steps.count[][] += AggSum([], delta_follows_by_x_b.count[][x_b] * follows_by_x_b.count[][x_b]);
    // two_steps.count[][] += AggSum([], delta_follows_by_x_b_2.count[][x_b] * follows_by_x_b_2.count[][x_b]);
    // two_steps.count[][] += AggSum([], delta_follows_by_x_b.count[][x_b] * delta_follows_by_x_b_2.count[][x_b]);
    {
        std::int64_t total_of_count{};
        for (const auto& delta_follows : m_delta_follows_by_x_b.all()) {
            if (const auto* follows = m_follows_by_x_b.find(delta_follows.x_b)) {
                tg::accumulate(m_overflow, total_of_count, tg::mul(m_overflow, tg::read(delta_follows.count), tg::read(follows->count)));
            }
            if (const auto* delta_follows_2 = m_delta_follows_by_x_b_2.find(delta_follows.x_b)) {
                tg::accumulate(m_overflow, total_of_count, tg::mul(m_overflow, tg::read(delta_follows.count), tg::read(delta_follows_2->count)));
            }
        }
        for (const auto& delta_follows : m_delta_follows_by_x_b_2.all()) {
            if (const auto* follows = m_follows_by_x_b_2.find(delta_follows.x_b)) {
                tg::accumulate(m_overflow, total_of_count, tg::mul(m_overflow, tg::read(delta_follows.count), tg::read(follows->count)));
            }
        }
        if (!(tg::is_zero(total_of_count))) {
            m_two_steps.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::read(total_of_count));
            });
        }
    }

    // follows_by_x_b.count[][x_b] += AggSum([x_b], (DELTA follows)(x_b, y_b));
    // follows_by_x_b_2.count[][x_b] += AggSum([x_b], (DELTA follows)(x_a, x_b));
    for (std::size_t at = 0; at < rows.size(); ++at) {
        m_follows_by_x_b.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
        }, a[at]);
        m_follows_by_x_b_2.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
        }, b[at]);
    }
}
