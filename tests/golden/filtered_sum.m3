CREATE STREAM lineitem (shipdate date, discount decimal(4,2), quantity int, price decimal(12,2));

DECLARE MAP forecast(count: long, revenue: decimal(38,4))[][] :=
    count: AggSum([], lineitem(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24}),
    revenue: AggSum([], lineitem(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [price * discount]);

DECLARE QUERY forecast SINGLE OF forecast (revenue := CASE WHEN count = 0L THEN NULL::decimal(38,4) ELSE revenue END);

ON + lineitem (shipdate, discount, quantity, price) {
    forecast.count[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24};
    forecast.revenue[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [price * discount];
}

ON - lineitem (shipdate, discount, quantity, price) {
    forecast.count[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [-1L];
    forecast.revenue[][] += {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [-1L] * [price * discount];
}

ON BATCH UPDATE OF lineitem {
    forecast.count[][] += AggSum([], (DELTA lineitem)(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24});
    forecast.revenue[][] += AggSum([], (DELTA lineitem)(shipdate, discount, quantity, price) * {shipdate >= DATE '1994-01-01'} * {discount >= DECIMAL(4,2) '0.05'} * {discount <= DECIMAL(4,2) '0.07'} * {quantity < 24} * [price * discount]);
}
