-- A shop: products are known beforehand, orders and their items keep arriving.
-- Files are found relative to this one; `make demo` generates them.

CREATE TABLE product (
    product_id INT,
    product_name VARCHAR(40),
    category VARCHAR(20),
    PRIMARY KEY (product_id)
) FROM FILE '../.demo/product.csv' LINE DELIMITED CSV (header := 'true');

CREATE STREAM orders (
    order_id INT,
    region VARCHAR(20),
    ordered_on DATE,
    PRIMARY KEY (order_id)
) FROM FILE '../.demo/orders.csv' LINE DELIMITED CSV (header := 'true');

CREATE STREAM item (
    order_id INT,
    product_id INT,
    quantity INT,
    price DECIMAL(10, 2)
) FROM FILE '../.demo/item.csv' LINE DELIMITED CSV (header := 'true');

-- Who buys: two streams joined, fresh after every batch of either.
CREATE VIEW revenue_by_region AS
SELECT region, COUNT(*) AS items, SUM(quantity * price) AS revenue
FROM orders, item
WHERE orders.order_id = item.order_id
GROUP BY region;

-- What is bought: a stream joined with a table.
CREATE VIEW revenue_by_category AS
SELECT category, SUM(quantity) AS pieces, SUM(quantity * price) AS revenue, AVG(price) AS average_price
FROM item, product
WHERE item.product_id = product.product_id
GROUP BY category;

-- The headline: one row.
CREATE VIEW december AS
SELECT COUNT(*) AS items, SUM(quantity * price) AS revenue
FROM orders, item
WHERE orders.order_id = item.order_id AND ordered_on >= DATE '2024-12-01';
