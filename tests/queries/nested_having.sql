-- Conditions on groups, and each value once.
CREATE STREAM orders (id INT, customer INT, price DECIMAL(10,2), day DATE);
CREATE STREAM items (id INT, part VARCHAR, amount INT, w DOUBLE);

CREATE VIEW repeated AS SELECT customer, SUM(price) AS total FROM orders GROUP BY customer HAVING COUNT(*) > 1;
CREATE VIEW averages AS
    SELECT part, AVG(w) AS mean, SUM(w) / SUM(amount) AS ratio FROM items GROUP BY part HAVING AVG(w) >= 0.5 AND part <> 'a';
CREATE VIEW quotients AS SELECT part FROM items GROUP BY part HAVING SUM(w) / SUM(amount) > 0.5;
CREATE VIEW joined AS
    SELECT o.customer, i.part, SUM(price * amount) AS s FROM orders o JOIN items i ON o.id = i.id
    GROUP BY o.customer, i.part HAVING SUM(amount) > 1 OR COUNT(*) = 1;
CREATE VIEW computed_key AS SELECT id + customer AS k, COUNT(*) AS n FROM orders GROUP BY id + customer HAVING id + customer > 1;
CREATE VIEW whole AS SELECT COUNT(*) AS n FROM orders HAVING COUNT(*) > 2;
CREATE VIEW different AS SELECT DISTINCT customer, price FROM orders;
CREATE VIEW different_sums AS SELECT DISTINCT SUM(amount) AS s FROM items GROUP BY part;
CREATE VIEW different_groups AS SELECT DISTINCT part, SUM(amount) AS s FROM items GROUP BY part;
CREATE VIEW different_joined AS SELECT DISTINCT o.customer + 1 AS c, i.part FROM orders o, items i WHERE o.id = i.id;
CREATE VIEW counted AS SELECT customer, COUNT(DISTINCT price) AS prices FROM orders GROUP BY customer;
CREATE VIEW mixed AS
    SELECT part, COUNT(DISTINCT amount) AS c, SUM(DISTINCT amount) AS s, AVG(DISTINCT amount) AS a, COUNT(*) AS n, SUM(w) AS w, AVG(w) AS m
    FROM items GROUP BY part;
CREATE VIEW everything AS
    SELECT COUNT(DISTINCT part) AS parts, COUNT(*) AS n, SUM(w) AS w, AVG(amount) AS a FROM items;
CREATE VIEW everything_once AS SELECT SUM(DISTINCT price) AS s, COUNT(DISTINCT price) AS n FROM orders;
CREATE VIEW several AS SELECT customer FROM orders GROUP BY customer HAVING COUNT(DISTINCT price) > 1 AND SUM(price) > 0;
