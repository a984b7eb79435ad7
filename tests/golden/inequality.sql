-- Nothing to look up by: a scan, added up before it is stored.
CREATE STREAM bids (price INT);
CREATE STREAM asks (price INT);
CREATE VIEW crossed AS SELECT SUM(bids.price - asks.price) AS gain FROM bids, asks WHERE bids.price > asks.price;
