// Triggers of the engine inequality. Above each block stands the M3 statement it carries out.
#include "engine.hpp"

#include <array>
#include <limits>
#include <stdexcept>

namespace inequality_program {

void engine::insert_bids(std::int32_t price) {
    // crossed.count[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price});
    // crossed.gain[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [CAST(price AS long)]);
    // crossed.gain[][] += AggSum([], asks_by_asks_price.sum_asks_price[][asks_price] * {price > asks_price} * [-1L]);
    if (const auto asks = m_asks_by_asks_price.sum<0>(m_overflow, tg::unbounded, tg::until_where{[&](const auto& key) { return (price > key); }}); asks.any) {
        m_crossed.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(asks.count));
            tg::accumulate(m_overflow, record.gain, tg::mul(m_overflow, tg::read(asks.count), static_cast<std::int64_t>(price)));
            tg::accumulate(m_overflow, record.gain, tg::sub(m_overflow, std::int64_t{0}, tg::read(asks.sum_asks_price)));
        });
    }

    // bids_by_bids_price.count[][price] += [1L];
    // bids_by_bids_price.sum_bids_price[][price] += [CAST(price AS long)];
    m_bids_by_bids_price.update(m_overflow, [&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
        tg::accumulate(m_overflow, record.sum_bids_price, static_cast<std::int64_t>(price));
    }, price);
}

void engine::delete_bids(std::int32_t price) {
    // crossed.count[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [-1L]);
    // crossed.gain[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [-1L] * [CAST(price AS long)]);
    // crossed.gain[][] += AggSum([], asks_by_asks_price.sum_asks_price[][asks_price] * {price > asks_price} * [-1L] * [-1L]);
    if (const auto asks = m_asks_by_asks_price.sum<0>(m_overflow, tg::unbounded, tg::until_where{[&](const auto& key) { return (price > key); }}); asks.any) {
        m_crossed.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(asks.count)));
            tg::accumulate(m_overflow, record.gain, tg::sub(m_overflow, std::int64_t{0}, tg::mul(m_overflow, tg::read(asks.count), static_cast<std::int64_t>(price))));
            tg::accumulate(m_overflow, record.gain, tg::read(asks.sum_asks_price));
        });
    }

    // bids_by_bids_price.count[][price] += [-1L];
    // bids_by_bids_price.sum_bids_price[][price] += [-1L] * [CAST(price AS long)];
    m_bids_by_bids_price.update(m_overflow, [&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
        tg::accumulate(m_overflow, record.sum_bids_price, tg::sub(m_overflow, std::int64_t{0}, static_cast<std::int64_t>(price)));
    }, price);
}

void engine::batch_bids(const tg::batch& rows) {
    const auto price = rows.ints(0);

    m_delta_bids_by_bids_price.clear();

    // delta_bids_by_bids_price.count[][bids_price] := AggSum([bids_price], (DELTA bids)(bids_price));
    // delta_bids_by_bids_price.sum_bids_price[][bids_price] := AggSum([bids_price], (DELTA bids)(bids_price) * [CAST(bids_price AS long)]);
    // bids_by_bids_price.count[][bids_price] += (DELTA bids)(bids_price);
    // bids_by_bids_price.sum_bids_price[][bids_price] += (DELTA bids)(bids_price) * [CAST(bids_price AS long)];
    for (std::size_t at = 0; at < rows.size(); ++at) {
        m_delta_bids_by_bids_price.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_bids_price, tg::mul(m_overflow, rows.weight(at), static_cast<std::int64_t>(price[at])));
        }, price[at]);
        m_bids_by_bids_price.update(m_overflow, [&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_bids_price, tg::mul(m_overflow, rows.weight(at), static_cast<std::int64_t>(price[at])));
        }, price[at]);
    }

    // crossed.count[][] += AggSum([], delta_bids_by_bids_price.count[][bids_price] * asks_by_asks_price.count[][asks_price] * {bids_price > asks_price});
    // crossed.gain[][] += AggSum([], delta_bids_by_bids_price.sum_bids_price[][bids_price] * asks_by_asks_price.count[][asks_price] * {bids_price > asks_price});
    // crossed.gain[][] += AggSum([], delta_bids_by_bids_price.count[][bids_price] * asks_by_asks_price.sum_asks_price[][asks_price] * {bids_price > asks_price} * [-1L]);
    {
        std::int64_t total_of_count{};
        std::int64_t total_of_gain{};
        for (const auto& delta_bids : m_delta_bids_by_bids_price.all()) {
            if (const auto asks = m_asks_by_asks_price.sum<0>(m_overflow, tg::unbounded, tg::until_where{[&](const auto& key) { return (delta_bids.bids_price > key); }}); asks.any) {
                tg::accumulate(m_overflow, total_of_count, tg::mul(m_overflow, tg::read(delta_bids.count), tg::read(asks.count)));
                tg::accumulate(m_overflow, total_of_gain, tg::mul(m_overflow, tg::read(delta_bids.sum_bids_price), tg::read(asks.count)));
                tg::accumulate(m_overflow, total_of_gain, tg::sub(m_overflow, std::int64_t{0}, tg::mul(m_overflow, tg::read(delta_bids.count), tg::read(asks.sum_asks_price))));
            }
        }
        if (!(tg::is_zero(total_of_count) && tg::is_zero(total_of_gain))) {
            m_crossed.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::read(total_of_count));
                tg::accumulate(m_overflow, record.gain, tg::read(total_of_gain));
            });
        }
    }
}

void engine::insert_asks(std::int32_t price) {
    // crossed.count[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price});
    // crossed.gain[][] += AggSum([], bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > price});
    // crossed.gain[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L] * [CAST(price AS long)]);
    if (const auto bids = m_bids_by_bids_price.sum<0>(m_overflow, tg::from_where{[&](const auto& key) { return (key > price); }}, tg::unbounded); bids.any) {
        m_crossed.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(bids.count));
            tg::accumulate(m_overflow, record.gain, tg::read(bids.sum_bids_price));
            tg::accumulate(m_overflow, record.gain, tg::sub(m_overflow, std::int64_t{0}, tg::mul(m_overflow, tg::read(bids.count), static_cast<std::int64_t>(price))));
        });
    }

    // asks_by_asks_price.count[][price] += [1L];
    // asks_by_asks_price.sum_asks_price[][price] += [CAST(price AS long)];
    m_asks_by_asks_price.update(m_overflow, [&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
        tg::accumulate(m_overflow, record.sum_asks_price, static_cast<std::int64_t>(price));
    }, price);
}

void engine::delete_asks(std::int32_t price) {
    // crossed.count[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L]);
    // crossed.gain[][] += AggSum([], bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > price} * [-1L]);
    // crossed.gain[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L] * [-1L] * [CAST(price AS long)]);
    if (const auto bids = m_bids_by_bids_price.sum<0>(m_overflow, tg::from_where{[&](const auto& key) { return (key > price); }}, tg::unbounded); bids.any) {
        m_crossed.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(bids.count)));
            tg::accumulate(m_overflow, record.gain, tg::sub(m_overflow, std::int64_t{0}, tg::read(bids.sum_bids_price)));
            tg::accumulate(m_overflow, record.gain, tg::mul(m_overflow, tg::read(bids.count), static_cast<std::int64_t>(price)));
        });
    }

    // asks_by_asks_price.count[][price] += [-1L];
    // asks_by_asks_price.sum_asks_price[][price] += [-1L] * [CAST(price AS long)];
    m_asks_by_asks_price.update(m_overflow, [&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
        tg::accumulate(m_overflow, record.sum_asks_price, tg::sub(m_overflow, std::int64_t{0}, static_cast<std::int64_t>(price)));
    }, price);
}

void engine::batch_asks(const tg::batch& rows) {
    const auto price = rows.ints(0);

    m_delta_asks_by_asks_price.clear();

    // delta_asks_by_asks_price.count[][asks_price] := AggSum([asks_price], (DELTA asks)(asks_price));
    // delta_asks_by_asks_price.sum_asks_price[][asks_price] := AggSum([asks_price], (DELTA asks)(asks_price) * [CAST(asks_price AS long)]);
    // asks_by_asks_price.count[][asks_price] += (DELTA asks)(asks_price);
    // asks_by_asks_price.sum_asks_price[][asks_price] += (DELTA asks)(asks_price) * [CAST(asks_price AS long)];
    for (std::size_t at = 0; at < rows.size(); ++at) {
        m_delta_asks_by_asks_price.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_asks_price, tg::mul(m_overflow, rows.weight(at), static_cast<std::int64_t>(price[at])));
        }, price[at]);
        m_asks_by_asks_price.update(m_overflow, [&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_asks_price, tg::mul(m_overflow, rows.weight(at), static_cast<std::int64_t>(price[at])));
        }, price[at]);
    }

    // crossed.count[][] += AggSum([], delta_asks_by_asks_price.count[][asks_price] * bids_by_bids_price.count[][bids_price] * {bids_price > asks_price});
    // crossed.gain[][] += AggSum([], delta_asks_by_asks_price.count[][asks_price] * bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > asks_price});
    // crossed.gain[][] += AggSum([], delta_asks_by_asks_price.sum_asks_price[][asks_price] * bids_by_bids_price.count[][bids_price] * {bids_price > asks_price} * [-1L]);
    {
        std::int64_t total_of_count{};
        std::int64_t total_of_gain{};
        for (const auto& delta_asks : m_delta_asks_by_asks_price.all()) {
            if (const auto bids = m_bids_by_bids_price.sum<0>(m_overflow, tg::from_where{[&](const auto& key) { return (key > delta_asks.asks_price); }}, tg::unbounded); bids.any) {
                tg::accumulate(m_overflow, total_of_count, tg::mul(m_overflow, tg::read(delta_asks.count), tg::read(bids.count)));
                tg::accumulate(m_overflow, total_of_gain, tg::mul(m_overflow, tg::read(delta_asks.count), tg::read(bids.sum_bids_price)));
                tg::accumulate(m_overflow, total_of_gain, tg::sub(m_overflow, std::int64_t{0}, tg::mul(m_overflow, tg::read(delta_asks.sum_asks_price), tg::read(bids.count))));
            }
        }
        if (!(tg::is_zero(total_of_count) && tg::is_zero(total_of_gain))) {
            m_crossed.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::read(total_of_count));
                tg::accumulate(m_overflow, record.gain, tg::read(total_of_gain));
            });
        }
    }
}
