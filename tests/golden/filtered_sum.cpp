// Triggers of the engine filtered_sum. Above each block stands the M3 statement it carries out.
#include "engine.hpp"

#include <array>
#include <limits>
#include <stdexcept>

namespace filtered_sum_program {

void engine::insert_lineitem(std::int32_t shipdate, std::int64_t discount, std::int32_t quantity, std::int64_t price) {
    // forecast.count[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24};
    // forecast.revenue[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [price * discount];
    if ((shipdate >= std::int32_t{8766}) && (discount >= std::int64_t{5}) && (discount <= std::int64_t{7}) && (quantity < std::int32_t{24})) {
        m_forecast.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, std::int64_t{1});
            tg::accumulate(m_overflow, record.revenue, static_cast<tg::int128>(tg::mul(m_overflow, price, discount)));
        });
    }
}

void engine::delete_lineitem(std::int32_t shipdate, std::int64_t discount, std::int32_t quantity, std::int64_t price) {
    // forecast.count[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [-1L];
    // forecast.revenue[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [-1L] * [price * discount];
    if ((shipdate >= std::int32_t{8766}) && (discount >= std::int64_t{5}) && (discount <= std::int64_t{7}) && (quantity < std::int32_t{24})) {
        m_forecast.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, std::int64_t{-1});
            tg::accumulate(m_overflow, record.revenue, static_cast<tg::int128>(tg::sub(m_overflow, std::int64_t{0}, tg::mul(m_overflow, price, discount))));
        });
    }
}

void engine::batch_lineitem(const tg::batch& rows) {
    const auto shipdate = rows.dates(0);
    const auto discount = rows.decimals64(1);
    const auto quantity = rows.ints(2);
    const auto price = rows.decimals64(3);

    // forecast.count[][] += AggSum([], (DELTA lineitem)(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24});
    // forecast.revenue[][] += AggSum([], (DELTA lineitem)(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [price * discount]);
    {
        std::int64_t total_of_count{};
        tg::int128 total_of_revenue{};
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if ((shipdate[at] >= std::int32_t{8766}) && (discount[at] >= std::int64_t{5}) && (discount[at] <= std::int64_t{7}) && (quantity[at] < std::int32_t{24})) {
                tg::accumulate(m_overflow, total_of_count, rows.weight(at));
                tg::accumulate(m_overflow, total_of_revenue, tg::wide_mul(rows.weight(at), tg::mul(m_overflow, price[at], discount[at])));
            }
        }
        if (!(tg::is_zero(total_of_count) && tg::is_zero(total_of_revenue))) {
            m_forecast.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::read(total_of_count));
                tg::accumulate(m_overflow, record.revenue, tg::read(total_of_revenue));
            });
        }
    }
}
