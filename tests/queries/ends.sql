-- MIN and MAX: of numbers, dates, texts; with other aggregates, over nothing, over NULL, nested.
CREATE STREAM r (a INT, b BIGINT NULL, s VARCHAR, t DATE, d DECIMAL(8,2), x DOUBLE);
CREATE STREAM u (a INT, c INT, s VARCHAR NULL);

CREATE VIEW least AS SELECT a, MIN(s) AS s FROM r GROUP BY a;
CREATE VIEW both_ends AS SELECT a, MIN(t) AS first, MAX(t) AS last, MAX(x) AS x FROM r GROUP BY a;
CREATE VIEW beside_sums AS SELECT a, MIN(d) AS low, SUM(d) AS t, COUNT(*) AS n, AVG(x) AS m FROM r GROUP BY a;
CREATE VIEW of_all AS SELECT MIN(x) AS low, MAX(s) AS high, COUNT(*) AS n FROM r;
CREATE VIEW of_nullable AS SELECT a, MAX(b) AS m, MIN(b + 1) AS k, COUNT(b) AS n FROM r GROUP BY a;
CREATE VIEW joined AS SELECT r.a, MIN(r.x * u.c) AS low, MAX(u.s) AS s FROM r, u WHERE r.a = u.a GROUP BY r.a;
CREATE VIEW by_nothing AS SELECT MAX(u.c) AS m FROM u WHERE u.s IS NOT NULL;
CREATE VIEW having_end AS SELECT a, COUNT(*) AS n FROM r GROUP BY a HAVING MAX(d) > 0.05;
CREATE VIEW expression AS SELECT a, MAX(d) - MIN(d) AS spread FROM r GROUP BY a;
CREATE VIEW cheapest AS SELECT r.a, r.s FROM r WHERE r.d = (SELECT MIN(d) FROM r r2 WHERE r2.a = r.a);
CREATE VIEW greatest_of_all AS SELECT a, s FROM r WHERE d = (SELECT MAX(d) FROM r);
CREATE VIEW shown AS SELECT a, (SELECT MAX(c) FROM u WHERE u.a = r.a) AS m FROM r;
CREATE VIEW of_sums AS SELECT MAX(total) AS m FROM (SELECT a, SUM(d) AS total FROM r GROUP BY a) q;
CREATE VIEW best AS SELECT a, total FROM (SELECT a, SUM(d) AS total FROM r GROUP BY a) q
WHERE total = (SELECT MAX(total) FROM (SELECT a, SUM(d) AS total FROM r GROUP BY a) p);
CREATE VIEW with_distinct AS SELECT a, MIN(s) AS s, COUNT(DISTINCT d) AS n FROM r GROUP BY a;
CREATE VIEW left_ends AS SELECT r.a, MIN(u.c) AS c FROM r LEFT JOIN u ON r.a = u.a GROUP BY r.a;
CREATE VIEW over_case AS SELECT MIN(CASE WHEN a > 1 THEN d END) AS m, MAX(a) AS h FROM r;
CREATE VIEW not_least AS SELECT a, d FROM r WHERE NOT (d > (SELECT MIN(c) FROM u WHERE u.a = r.a)) OR d IS NULL;
