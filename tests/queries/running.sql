-- Thresholds on running sums: intervals of the compared value, found on a path while no weight is negative.
CREATE STREAM bids (id INT, broker INT, volume INT, price INT);
CREATE STREAM asks (id INT NULL, broker INT, volume DECIMAL(8,2) NULL, price DOUBLE NULL);

CREATE VIEW vwap AS SELECT SUM(b1.price * b1.volume) AS v, COUNT(*) AS n FROM bids b1
WHERE 0.25 * (SELECT SUM(b3.volume) FROM bids b3) > (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price > b1.price);
CREATE VIEW from_below AS SELECT SUM(b1.price) AS v, COUNT(*) AS n FROM bids b1
WHERE (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price <= b1.price) >= 0.5 * (SELECT SUM(b3.volume) FROM bids b3);
CREATE VIEW ranks AS SELECT id, price FROM bids b1
WHERE (SELECT COUNT(*) FROM bids b2 WHERE b2.price > b1.price) < (SELECT COUNT(*) FROM asks) / 2;
CREATE VIEW counted_values AS SELECT SUM(price) AS v FROM bids b1
WHERE (SELECT COUNT(a.volume) FROM asks a WHERE a.price < b1.price) <= (SELECT COUNT(*) FROM bids);
CREATE VIEW nullable AS SELECT SUM(a1.volume) AS v, COUNT(*) AS n FROM asks a1
WHERE 0.4 * (SELECT SUM(volume) FROM asks) >= (SELECT SUM(a2.volume) FROM asks a2 WHERE a2.price >= a1.price);
CREATE VIEW other_side AS SELECT b.broker, SUM(b.volume) AS v FROM bids b
WHERE (SELECT SUM(a.volume) FROM asks a WHERE a.price < b.price) < (SELECT SUM(volume) FROM bids) GROUP BY b.broker;
CREATE VIEW filtered AS SELECT SUM(b1.volume) AS v FROM bids b1
WHERE (SELECT SUM(b3.volume) FROM bids b3 WHERE b3.broker = 1) < (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price + 1 > b1.price AND b2.broker <> 2);
CREATE VIEW mst AS SELECT b.broker, SUM(a.price * a.volume - b.price * b.volume) AS v FROM bids b, asks a
WHERE 0.25 * (SELECT SUM(a1.volume) FROM asks a1) > (SELECT SUM(a2.volume) FROM asks a2 WHERE a2.price > a.price)
  AND 0.25 * (SELECT SUM(b1.volume) FROM bids b1) > (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price > b.price)
GROUP BY b.broker;
CREATE VIEW per_broker AS SELECT SUM(b1.price) AS v FROM bids b1
WHERE (SELECT SUM(b3.volume) FROM bids b3) > (SELECT SUM(b2.volume) FROM bids b2 WHERE b2.price > b1.price AND b2.broker = b1.broker);
