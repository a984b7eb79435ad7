-- Order books: the six financial queries of the thesis on DBToaster. Volumes and prices are doubles as in its traces.
CREATE STREAM bids (t DOUBLE, id INT, broker_id INT, volume DOUBLE, price DOUBLE);
CREATE STREAM asks (t DOUBLE, id INT, broker_id INT, volume DOUBLE, price DOUBLE);

-- Axis finder: brokers whose bids and asks are far apart
CREATE VIEW axf AS
    SELECT b.broker_id, SUM(a.volume - b.volume) AS spread
    FROM bids b, asks a
    WHERE b.broker_id = a.broker_id AND (a.price - b.price > 1000 OR b.price - a.price > 1000)
    GROUP BY b.broker_id;

-- Broker spread: a broker's bids against the earlier ones
CREATE VIEW bsp AS
    SELECT x.broker_id, SUM(x.volume * x.price - y.volume * y.price) AS spread
    FROM bids x, bids y
    WHERE x.broker_id = y.broker_id AND x.t > y.t
    GROUP BY x.broker_id;

-- Broker variance
CREATE VIEW bsv AS
    SELECT x.broker_id, SUM(x.volume * x.price * y.volume * y.price * 0.5) AS variance
    FROM bids x, bids y
    WHERE x.broker_id = y.broker_id
    GROUP BY x.broker_id;

-- Missed trades: the best quarter of both books, by volume
CREATE VIEW mst AS
    SELECT b.broker_id, SUM(a.price * a.volume - b.price * b.volume) AS missed
    FROM bids b, asks a
    WHERE 0.25 * (SELECT SUM(a1.volume) FROM asks a1) > (SELECT SUM(a2.volume) FROM asks a2 WHERE a2.price > a.price)
      AND 0.25 * (SELECT SUM(b1.volume) FROM bids b1) > (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price > b.price)
    GROUP BY b.broker_id;

-- Price spread: without orders that are tiny against their book
CREATE VIEW psp AS
    SELECT SUM(a.price - b.price) AS spread
    FROM bids b, asks a
    WHERE b.volume > 0.0001 * (SELECT SUM(b1.volume) FROM bids b1)
      AND a.volume > 0.0001 * (SELECT SUM(a1.volume) FROM asks a1);

-- Volume-weighted average price over the last quarter of the volume
CREATE VIEW vwap AS
    SELECT SUM(b1.price * b1.volume) AS vwap
    FROM bids b1
    WHERE 0.25 * (SELECT SUM(b3.volume) FROM bids b3) > (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price > b1.price);
