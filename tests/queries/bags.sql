-- Plain SELECT: bags with duplicates, expressions, constants, stars, joins that multiply.
CREATE STREAM t (a INT, b BIGINT, p DECIMAL(10,2), w DOUBLE, d DATE, s VARCHAR, ok BOOLEAN);
CREATE STREAM v (a INT, s VARCHAR);

CREATE VIEW whole_rows AS SELECT * FROM t;
CREATE VIEW one_column AS SELECT a FROM t;
CREATE VIEW expressions AS SELECT a + b AS c, p * 2 AS twice, w / 4 AS quarter, -a AS minus, a % 2 AS parity FROM t;
CREATE VIEW constants AS SELECT 1 AS one, 'x' AS x, a, 2.50 AS price, DATE '2000-02-29' AS leap, TRUE AS yes FROM t WHERE a > 0;
CREATE VIEW only_constants AS SELECT 7 AS seven FROM t WHERE ok;
CREATE VIEW filtered AS SELECT s, d, ok FROM t WHERE s <> '' AND w >= 0.5;
CREATE VIEW joined AS SELECT t.s, v.a, t.p FROM t JOIN v ON t.a = v.a;
CREATE VIEW join_star AS SELECT v.*, t.d FROM v, t WHERE v.s = t.s;
CREATE VIEW crossed AS SELECT v.a, w.a AS other FROM v CROSS JOIN v AS w;
CREATE VIEW twice_the_same AS SELECT a, a AS again, s FROM v;
CREATE VIEW computed_from_both AS SELECT t.a + v.a AS total, t.b * v.a AS product FROM t, v WHERE t.s = v.s;
CREATE VIEW conditions AS SELECT a > 1 AS big, s LIKE 'a%' AS starts, ok AND a = 0 AS both_hold FROM t;
CREATE VIEW casts AS SELECT CAST(w AS DECIMAL(10,1)) AS tenth, CAST(a AS DOUBLE) AS real_a, p::BIGINT AS whole FROM t;
