-- Both sides of an order book from one file of messages, as DBToaster's finance queries declare them.
-- `python examples/generate_orders.py` writes the file.

CREATE STREAM bids(t FLOAT, id INT, broker_id INT, volume FLOAT, price FLOAT)
  FROM FILE '../.demo/orders.csv'
  LINE DELIMITED ORDERBOOK (book := 'bids', brokers := '10', deterministic := 'yes');

CREATE STREAM asks(t FLOAT, id INT, broker_id INT, volume FLOAT, price FLOAT)
  FROM FILE '../.demo/orders.csv'
  LINE DELIMITED ORDERBOOK (book := 'asks', brokers := '10', deterministic := 'yes');

-- Who bids and asks far apart: how much more the broker sells than buys there.
CREATE VIEW axis_finder AS
SELECT b.broker_id, SUM(a.volume - b.volume) AS surplus
FROM bids b, asks a
WHERE b.broker_id = a.broker_id AND (a.price - b.price > 1000 OR b.price - a.price > 1000)
GROUP BY b.broker_id;

-- What each broker bids on average, weighted by volume, counting bids larger than one in ten thousand of all.
CREATE VIEW large_bids AS
SELECT broker_id, SUM(price * volume) / LISTMAX(1, SUM(volume)) AS average_price, COUNT(*) AS orders
FROM bids
WHERE volume > 0.0001 * (SELECT SUM(b.volume) FROM bids b)
GROUP BY broker_id;

-- The spread over all pairs of large orders.
CREATE VIEW price_spread AS
SELECT SUM(a.price - b.price) AS spread
FROM bids b, asks a
WHERE b.volume > 0.0001 * (SELECT SUM(b1.volume) FROM bids b1)
  AND a.volume > 0.0001 * (SELECT SUM(a1.volume) FROM asks a1);
