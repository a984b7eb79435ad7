-- Queries over queries: views over views, subqueries in FROM, WITH.
CREATE STREAM orders (id INT, customer INT, price DECIMAL(10,2), day DATE);
CREATE STREAM items (id INT, part VARCHAR, amount INT, w DOUBLE);

CREATE VIEW big AS SELECT id, customer, price * 2 AS twice FROM orders WHERE price > 0.05;
CREATE VIEW totals AS SELECT customer, SUM(price) AS total, COUNT(*) AS n FROM orders GROUP BY customer;
CREATE VIEW big_items AS SELECT b.id, SUM(twice * amount) AS x FROM big b, items i WHERE b.id = i.id GROUP BY b.id;
CREATE VIEW by_total AS SELECT total, COUNT(*) AS customers, SUM(n) AS orders FROM totals GROUP BY total;
CREATE VIEW rich AS SELECT customer, total FROM totals WHERE total > 1;
CREATE VIEW rich_orders AS SELECT o.id, r.total FROM orders o JOIN rich r ON o.customer = r.customer;
CREATE VIEW above AS
    SELECT t.customer, o.id FROM totals t, orders o WHERE t.customer = o.customer AND o.price * 2 >= t.total;
CREATE VIEW per_group AS
    SELECT n, AVG(total) AS mean FROM (SELECT customer, SUM(price) AS total, COUNT(*) AS n FROM orders GROUP BY customer) t
    GROUP BY n;
CREATE VIEW nameless AS SELECT COUNT(*) AS n, SUM(mean) AS s FROM (SELECT id, AVG(w) AS mean FROM items GROUP BY id);
CREATE VIEW nested_twice AS
    SELECT k, COUNT(*) AS c
    FROM (SELECT s AS k FROM (SELECT part, SUM(amount) AS s FROM items GROUP BY part) AS a WHERE s > 0) AS b GROUP BY k;
CREATE VIEW merged AS SELECT x.k, y.part FROM (SELECT id + 1 AS k FROM orders WHERE customer > 0) x JOIN
    (SELECT id AS j, part FROM items WHERE amount <> 2) AS y ON x.k = y.j;
CREATE VIEW with_two AS
    WITH a AS (SELECT id, SUM(amount) AS s FROM items GROUP BY id), b AS (SELECT s, COUNT(*) AS n FROM a GROUP BY s)
    SELECT a.id, b.n FROM a, b WHERE a.s = b.s;
CREATE VIEW with_names AS WITH t(k, v) AS (SELECT customer, SUM(price) FROM orders GROUP BY customer)
    SELECT t1.k AS one, t2.k AS two FROM t t1, t AS t2 WHERE t1.v < t2.v;
CREATE VIEW counted AS SELECT n, id FROM (SELECT COUNT(*) AS n FROM orders) c, items;
CREATE VIEW constants AS SELECT one, COUNT(*) AS n FROM (SELECT 1 AS one, id FROM items) t GROUP BY one;
