-- Aggregates over one relation: every numeric type, empty input, sums that cancel, groups that come and go.
CREATE STREAM sale (id INT, shop BIGINT, price DECIMAL(12,2), rate DECIMAL(5,4), weight DOUBLE, day DATE, item VARCHAR, paid BOOLEAN);

CREATE VIEW everything_counted AS SELECT COUNT(*) AS n FROM sale;
CREATE VIEW every_sum AS
    SELECT SUM(id) AS ids, SUM(shop) AS shops, SUM(price) AS prices, SUM(rate) AS rates, SUM(weight) AS weights FROM sale;
CREATE VIEW every_average AS
    SELECT AVG(id) AS ids, AVG(shop) AS shops, AVG(price) AS prices, AVG(rate) AS rates, AVG(weight) AS weights FROM sale;
CREATE VIEW by_shop AS
    SELECT shop, COUNT(*) AS n, COUNT(item) AS items, SUM(price) AS total, AVG(price) AS mean FROM sale GROUP BY shop;
CREATE VIEW by_item_and_day AS SELECT item, day, SUM(weight) AS weight, AVG(id) AS mean_id FROM sale GROUP BY item, day;
CREATE VIEW by_flag AS SELECT paid, SUM(id) AS total, SUM(id * shop) AS product FROM sale GROUP BY paid;
CREATE VIEW by_double AS SELECT weight, COUNT(*) AS n, SUM(price * rate) AS due FROM sale GROUP BY weight;
CREATE VIEW by_decimal AS SELECT price, rate, SUM(1) AS ones, SUM(weight) AS weight FROM sale GROUP BY price, rate;
CREATE VIEW by_expression AS
    SELECT id % 3 AS rest, shop + 1 AS next_shop, COUNT(*) AS n, SUM(-price) AS owed FROM sale GROUP BY id % 3, shop + 1;
CREATE VIEW by_case AS
    SELECT CASE WHEN price < 0 THEN 'refund' WHEN price = 0 THEN 'gift' ELSE item END AS kind, SUM(price) AS total
    FROM sale GROUP BY 1;
CREATE VIEW groups_only AS SELECT shop, paid FROM sale GROUP BY shop, paid;
CREATE VIEW ratios AS
    SELECT shop, SUM(price) / SUM(id) AS per_id, 100.0 * SUM(weight) / COUNT(*) AS share, SUM(price) / shop AS per_shop
    FROM sale GROUP BY shop;
CREATE VIEW overall_ratio AS
    SELECT SUM(price) / SUM(id) AS ratio, SUM(price) + SUM(rate) AS mixed, COUNT(*) * 2 - 1 AS odd, SUM(id) % 2 AS parity
    FROM sale;
CREATE VIEW cancelling AS SELECT item, SUM(id - id) AS zero, SUM(CASE WHEN paid THEN 1 ELSE -1 END) AS balance FROM sale GROUP BY item;
