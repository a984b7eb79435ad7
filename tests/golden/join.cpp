// Triggers of the engine join. Above each block stands the M3 statement it carries out.
#include "engine.hpp"

#include <array>
#include <limits>
#include <stdexcept>

namespace join_program {

void engine::insert_orders(std::int32_t order_id, std::string_view region) {
    // revenue.count[][region] += items_by_orders_order_id.count[][order_id];
    // revenue.total[][region] += items_by_orders_order_id.sum_price[][order_id];
    if (const auto* items = m_items_by_orders_order_id.find(order_id)) {
        m_revenue.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(items->count));
            tg::accumulate(m_overflow, record.total, tg::read(items->sum_price));
        }, region);
    }

    // orders_by_orders_order_id_region.count[][order_id, region] += [1L];
    m_orders_by_orders_order_id_region.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
    }, order_id, region);
}

void engine::delete_orders(std::int32_t order_id, std::string_view region) {
    // revenue.count[][region] += items_by_orders_order_id.count[][order_id] * [-1L];
    // revenue.total[][region] += items_by_orders_order_id.sum_price[][order_id] * [-1L];
    if (const auto* items = m_items_by_orders_order_id.find(order_id)) {
        m_revenue.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(items->count)));
            tg::accumulate(m_overflow, record.total, tg::sub(m_overflow, static_cast<tg::int128>(std::int64_t{0}), tg::read(items->sum_price)));
        }, region);
    }

    // orders_by_orders_order_id_region.count[][order_id, region] += [-1L];
    m_orders_by_orders_order_id_region.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
    }, order_id, region);
}

void engine::batch_orders(const tg::batch& rows) {
    const auto order_id = rows.ints(0);
    const auto region = rows.texts(1);

    // revenue.count[][region] += AggSum([region], (DELTA orders)(orders_order_id, region) * items_by_orders_order_id.count[][orders_order_id]);
    // revenue.total[][region] += AggSum([region], (DELTA orders)(orders_order_id, region) * items_by_orders_order_id.sum_price[][orders_order_id]);
    // orders_by_orders_order_id_region.count[][orders_order_id, region] += (DELTA orders)(orders_order_id, region);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (const auto* items = m_items_by_orders_order_id.find(order_id[at])) {
            m_revenue.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::mul(m_overflow, rows.weight(at), tg::read(items->count)));
                tg::accumulate(m_overflow, record.total, tg::mul(m_overflow, static_cast<tg::int128>(rows.weight(at)), tg::read(items->sum_price)));
            }, region[at]);
        }
        m_orders_by_orders_order_id_region.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
        }, order_id[at], region[at]);
    }
}

void engine::insert_items(std::int32_t order_id, std::int64_t price) {
    // revenue.count[][region] += orders_by_orders_order_id_region.count[][order_id, region];
    // revenue.total[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [price];
    for (const auto& orders : m_orders_by_orders_order_id_region.slice<0>(order_id)) {
        m_revenue.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::read(orders.count));
            tg::accumulate(m_overflow, record.total, tg::wide_mul(tg::read(orders.count), price));
        }, m_orders_by_orders_order_id_region.view(orders.region));
    }

    // items_by_orders_order_id.count[][order_id] += [1L];
    // items_by_orders_order_id.sum_price[][order_id] += [price];
    m_items_by_orders_order_id.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{1});
        tg::accumulate(m_overflow, record.sum_price, static_cast<tg::int128>(price));
    }, order_id);
}

void engine::delete_items(std::int32_t order_id, std::int64_t price) {
    // revenue.count[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [-1L];
    // revenue.total[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [-1L] * [price];
    for (const auto& orders : m_orders_by_orders_order_id_region.slice<0>(order_id)) {
        m_revenue.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, tg::sub(m_overflow, std::int64_t{0}, tg::read(orders.count)));
            tg::accumulate(m_overflow, record.total, tg::sub(m_overflow, static_cast<tg::int128>(std::int64_t{0}), tg::wide_mul(tg::read(orders.count), price)));
        }, m_orders_by_orders_order_id_region.view(orders.region));
    }

    // items_by_orders_order_id.count[][order_id] += [-1L];
    // items_by_orders_order_id.sum_price[][order_id] += [-1L] * [price];
    m_items_by_orders_order_id.update([&](auto& record) {
        tg::accumulate(m_overflow, record.count, std::int64_t{-1});
        tg::accumulate(m_overflow, record.sum_price, static_cast<tg::int128>(tg::sub(m_overflow, std::int64_t{0}, price)));
    }, order_id);
}

void engine::batch_items(const tg::batch& rows) {
    const auto order_id = rows.ints(0);
    const auto price = rows.decimals64(1);

    m_delta_items_by_orders_order_id.clear();

    // delta_items_by_orders_order_id.count[][orders_order_id] := AggSum([orders_order_id], (DELTA items)(orders_order_id, price));
    // delta_items_by_orders_order_id.sum_price[][orders_order_id] := AggSum([orders_order_id], (DELTA items)(orders_order_id, price) * [price]);
    // items_by_orders_order_id.count[][orders_order_id] += AggSum([orders_order_id], (DELTA items)(orders_order_id, price));
    // items_by_orders_order_id.sum_price[][orders_order_id] += AggSum([orders_order_id], (DELTA items)(orders_order_id, price) * [price]);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        m_delta_items_by_orders_order_id.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_price, tg::wide_mul(rows.weight(at), price[at]));
        }, order_id[at]);
        m_items_by_orders_order_id.update([&](auto& record) {
            tg::accumulate(m_overflow, record.count, rows.weight(at));
            tg::accumulate(m_overflow, record.sum_price, tg::wide_mul(rows.weight(at), price[at]));
        }, order_id[at]);
    }

    // revenue.count[][region] += AggSum([region], delta_items_by_orders_order_id.count[][orders_order_id] * orders_by_orders_order_id_region.count[][orders_order_id, region]);
    // revenue.total[][region] += AggSum([region], delta_items_by_orders_order_id.sum_price[][orders_order_id] * orders_by_orders_order_id_region.count[][orders_order_id, region]);
    for (const auto& delta_items : m_delta_items_by_orders_order_id.all()) {
        for (const auto& orders : m_orders_by_orders_order_id_region.slice<0>(delta_items.orders_order_id)) {
            m_revenue.update([&](auto& record) {
                tg::accumulate(m_overflow, record.count, tg::mul(m_overflow, tg::read(delta_items.count), tg::read(orders.count)));
                tg::accumulate(m_overflow, record.total, tg::mul(m_overflow, static_cast<tg::int128>(tg::read(orders.count)), tg::read(delta_items.sum_price)));
            }, m_orders_by_orders_order_id_region.view(orders.region));
        }
    }
}
