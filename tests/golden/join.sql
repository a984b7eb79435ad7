-- Two streams; a value over both is split so that each side is summed alone.
CREATE STREAM orders (order_id INT, region VARCHAR, PRIMARY KEY (order_id));
CREATE STREAM items (order_id INT, price DECIMAL(8,2));
CREATE VIEW revenue AS
SELECT region, SUM(price) AS total, COUNT(*) AS items FROM orders, items
WHERE orders.order_id = items.order_id GROUP BY region;
