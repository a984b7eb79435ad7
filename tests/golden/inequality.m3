CREATE STREAM bids (price int);
CREATE STREAM asks (price int);

DECLARE MAP crossed(count: long, gain: long)[][] :=
    count: AggSum([], bids(bids_price) * asks(asks_price) * {bids_price > asks_price}),
    gain: AggSum([], bids(bids_price) * asks(asks_price) * {bids_price > asks_price} * [CAST(bids_price AS long)] + bids(bids_price) * asks(asks_price) * {bids_price > asks_price} * [-1L] * [CAST(asks_price AS long)]);

DECLARE MAP asks_by_asks_price(count: long, sum_asks_price: long)[][asks_price: int] :=
    count: AggSum([asks_price], asks(asks_price)),
    sum_asks_price: AggSum([asks_price], asks(asks_price) * [CAST(asks_price AS long)]);

DECLARE MAP bids_by_bids_price(count: long, sum_bids_price: long)[][bids_price: int] :=
    count: AggSum([bids_price], bids(bids_price)),
    sum_bids_price: AggSum([bids_price], bids(bids_price) * [CAST(bids_price AS long)]);

DECLARE QUERY crossed SINGLE OF crossed (gain := CASE WHEN count = 0L THEN NULL::long ELSE gain END);

ON + bids (price) {
    crossed.count[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price});
    crossed.gain[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [CAST(price AS long)]);
    crossed.gain[][] += AggSum([], asks_by_asks_price.sum_asks_price[][asks_price] * {price > asks_price} * [-1L]);
    bids_by_bids_price.count[][price] += [1L];
    bids_by_bids_price.sum_bids_price[][price] += [CAST(price AS long)];
}

ON - bids (price) {
    crossed.count[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [-1L]);
    crossed.gain[][] += AggSum([], asks_by_asks_price.count[][asks_price] * {price > asks_price} * [-1L] * [CAST(price AS long)]);
    crossed.gain[][] += AggSum([], asks_by_asks_price.sum_asks_price[][asks_price] * {price > asks_price} * [-1L] * [-1L]);
    bids_by_bids_price.count[][price] += [-1L];
    bids_by_bids_price.sum_bids_price[][price] += [-1L] * [CAST(price AS long)];
}

ON BATCH UPDATE OF bids {
    DECLARE LOCAL MAP delta_bids_by_bids_price(count: long, sum_bids_price: long)[][bids_price: int] :=
        count: AggSum([bids_price], (DELTA bids)(bids_price)),
        sum_bids_price: AggSum([bids_price], (DELTA bids)(bids_price) * [CAST(bids_price AS long)]);
    delta_bids_by_bids_price.count[][bids_price] := AggSum([bids_price], (DELTA bids)(bids_price));
    delta_bids_by_bids_price.sum_bids_price[][bids_price] := AggSum([bids_price], (DELTA bids)(bids_price) * [CAST(bids_price AS long)]);
    crossed.count[][] += AggSum([], delta_bids_by_bids_price.count[][bids_price] * asks_by_asks_price.count[][asks_price] * {bids_price > asks_price});
    crossed.gain[][] += AggSum([], delta_bids_by_bids_price.sum_bids_price[][bids_price] * asks_by_asks_price.count[][asks_price] * {bids_price > asks_price});
    crossed.gain[][] += AggSum([], delta_bids_by_bids_price.count[][bids_price] * asks_by_asks_price.sum_asks_price[][asks_price] * {bids_price > asks_price} * [-1L]);
    bids_by_bids_price.count[][bids_price] += (DELTA bids)(bids_price);
    bids_by_bids_price.sum_bids_price[][bids_price] += (DELTA bids)(bids_price) * [CAST(bids_price AS long)];
}

ON + asks (price) {
    crossed.count[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price});
    crossed.gain[][] += AggSum([], bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > price});
    crossed.gain[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L] * [CAST(price AS long)]);
    asks_by_asks_price.count[][price] += [1L];
    asks_by_asks_price.sum_asks_price[][price] += [CAST(price AS long)];
}

ON - asks (price) {
    crossed.count[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L]);
    crossed.gain[][] += AggSum([], bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > price} * [-1L]);
    crossed.gain[][] += AggSum([], bids_by_bids_price.count[][bids_price] * {bids_price > price} * [-1L] * [-1L] * [CAST(price AS long)]);
    asks_by_asks_price.count[][price] += [-1L];
    asks_by_asks_price.sum_asks_price[][price] += [-1L] * [CAST(price AS long)];
}

ON BATCH UPDATE OF asks {
    DECLARE LOCAL MAP delta_asks_by_asks_price(count: long, sum_asks_price: long)[][asks_price: int] :=
        count: AggSum([asks_price], (DELTA asks)(asks_price)),
        sum_asks_price: AggSum([asks_price], (DELTA asks)(asks_price) * [CAST(asks_price AS long)]);
    delta_asks_by_asks_price.count[][asks_price] := AggSum([asks_price], (DELTA asks)(asks_price));
    delta_asks_by_asks_price.sum_asks_price[][asks_price] := AggSum([asks_price], (DELTA asks)(asks_price) * [CAST(asks_price AS long)]);
    crossed.count[][] += AggSum([], delta_asks_by_asks_price.count[][asks_price] * bids_by_bids_price.count[][bids_price] * {bids_price > asks_price});
    crossed.gain[][] += AggSum([], delta_asks_by_asks_price.count[][asks_price] * bids_by_bids_price.sum_bids_price[][bids_price] * {bids_price > asks_price});
    crossed.gain[][] += AggSum([], delta_asks_by_asks_price.sum_asks_price[][asks_price] * bids_by_bids_price.count[][bids_price] * {bids_price > asks_price} * [-1L]);
    asks_by_asks_price.count[][asks_price] += (DELTA asks)(asks_price);
    asks_by_asks_price.sum_asks_price[][asks_price] += (DELTA asks)(asks_price) * [CAST(asks_price AS long)];
}
