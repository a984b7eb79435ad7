-- Joins without equality: less than, bands, not equal, and mixtures with equality.
CREATE STREAM bid (t INT, broker INT, price DECIMAL(10,2), volume INT);
CREATE STREAM ask (t INT, broker INT, price DECIMAL(10,2), volume INT);

CREATE VIEW below AS SELECT COUNT(*) AS n FROM bid b, ask a WHERE b.price < a.price;
CREATE VIEW below_by_broker AS
    SELECT b.broker, SUM(a.volume) AS volume FROM bid b, ask a WHERE b.price <= a.price GROUP BY b.broker;
CREATE VIEW band AS SELECT COUNT(*) AS n, SUM(a.volume - b.volume) AS v FROM bid b, ask a WHERE a.t BETWEEN b.t - 1 AND b.t + 1;
CREATE VIEW band_with_equality AS
    SELECT b.broker, COUNT(*) AS n FROM bid b, ask a
    WHERE a.broker = b.broker AND a.price - b.price > -1 AND a.price - b.price < 1 GROUP BY b.broker;
CREATE VIEW unequal AS SELECT SUM(b.volume * a.volume) AS v FROM bid b, ask a WHERE b.broker <> a.broker;
CREATE VIEW self_order AS SELECT x.broker, SUM(y.volume) AS v FROM bid x, bid y WHERE x.price > y.price GROUP BY x.broker;
CREATE VIEW spread AS
    SELECT b.broker, SUM(a.price - b.price) AS spread FROM bid b, ask a WHERE a.t > b.t AND a.volume >= b.volume GROUP BY b.broker;
CREATE VIEW axfinder AS
    SELECT b.broker, SUM(a.volume - b.volume) AS net FROM bid b, ask a
    WHERE b.broker = a.broker AND (a.price - b.price > 1 OR b.price - a.price > 1) GROUP BY b.broker;
CREATE VIEW broker_variance AS
    SELECT x.broker, SUM(x.volume * x.price * y.volume * y.price * 0.5) AS bsv FROM bid x, bid y WHERE x.broker = y.broker GROUP BY x.broker;
CREATE VIEW three_in_order AS SELECT COUNT(*) AS n FROM bid x, ask y, bid z WHERE x.t < y.t AND y.t < z.t;
CREATE VIEW ordered_bag AS SELECT b.t AS bid_t, a.t AS ask_t FROM bid b, ask a WHERE b.t >= a.t AND b.broker = 1;
CREATE VIEW sums_compared AS SELECT COUNT(*) AS n FROM bid b, ask a WHERE b.price + b.volume > a.price * 2 AND a.volume + b.volume <> 3;
