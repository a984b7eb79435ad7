CREATE STREAM orders (order_id int, region string, PRIMARY KEY (order_id));
CREATE STREAM items (order_id int, price decimal(8,2));

DECLARE MAP revenue(count: long, total: decimal(38,2))[][region: string] :=
    count: AggSum([region], orders(orders_order_id, region) * items(orders_order_id, price)),
    total: AggSum([region], orders(orders_order_id, region) * items(orders_order_id, price) * [price]);

DECLARE MAP items_by_orders_order_id(count: long, sum_price: decimal(38,2))[][orders_order_id: int] :=
    count: AggSum([orders_order_id], items(orders_order_id, price)),
    sum_price: AggSum([orders_order_id], items(orders_order_id, price) * [price]);

DECLARE MAP orders_by_orders_order_id_region(count: long)[][orders_order_id: int, region: string] :=
    count: AggSum([orders_order_id, region], orders(orders_order_id, region));

DECLARE QUERY revenue GROUPS OF revenue (region := region, total := total, items := count);

ON + orders (order_id, region) {
    revenue.count[][region] += items_by_orders_order_id.count[][order_id];
    revenue.total[][region] += items_by_orders_order_id.sum_price[][order_id];
    orders_by_orders_order_id_region.count[][order_id, region] += [1L];
}

ON - orders (order_id, region) {
    revenue.count[][region] += items_by_orders_order_id.count[][order_id] * [-1L];
    revenue.total[][region] += items_by_orders_order_id.sum_price[][order_id] * [-1L];
    orders_by_orders_order_id_region.count[][order_id, region] += [-1L];
}

ON BATCH UPDATE OF orders {
    revenue.count[][region] += AggSum([region], (DELTA orders)(orders_order_id, region) * items_by_orders_order_id.count[][orders_order_id]);
    revenue.total[][region] += AggSum([region], (DELTA orders)(orders_order_id, region) * items_by_orders_order_id.sum_price[][orders_order_id]);
    orders_by_orders_order_id_region.count[][orders_order_id, region] += (DELTA orders)(orders_order_id, region);
}

ON + items (order_id, price) {
    revenue.count[][region] += orders_by_orders_order_id_region.count[][order_id, region];
    revenue.total[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [price];
    items_by_orders_order_id.count[][order_id] += [1L];
    items_by_orders_order_id.sum_price[][order_id] += [price];
}

ON - items (order_id, price) {
    revenue.count[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [-1L];
    revenue.total[][region] += orders_by_orders_order_id_region.count[][order_id, region] * [-1L] * [price];
    items_by_orders_order_id.count[][order_id] += [-1L];
    items_by_orders_order_id.sum_price[][order_id] += [-1L] * [price];
}

ON BATCH UPDATE OF items {
    DECLARE LOCAL MAP delta_items_by_orders_order_id(count: long, sum_price: decimal(38,2))[][orders_order_id: int] :=
        count: AggSum([orders_order_id], (DELTA items)(orders_order_id, price)),
        sum_price: AggSum([orders_order_id], (DELTA items)(orders_order_id, price) * [price]);
    delta_items_by_orders_order_id.count[][orders_order_id] := AggSum([orders_order_id], (DELTA items)(orders_order_id, price));
    delta_items_by_orders_order_id.sum_price[][orders_order_id] := AggSum([orders_order_id], (DELTA items)(orders_order_id, price) * [price]);
    revenue.count[][region] += AggSum([region], delta_items_by_orders_order_id.count[][orders_order_id] * orders_by_orders_order_id_region.count[][orders_order_id, region]);
    revenue.total[][region] += AggSum([region], delta_items_by_orders_order_id.sum_price[][orders_order_id] * orders_by_orders_order_id_region.count[][orders_order_id, region]);
    items_by_orders_order_id.count[][orders_order_id] += AggSum([orders_order_id], (DELTA items)(orders_order_id, price));
    items_by_orders_order_id.sum_price[][orders_order_id] += AggSum([orders_order_id], (DELTA items)(orders_order_id, price) * [price]);
}
