-- NULL in columns: three-valued logic, aggregates that pass over NULL, groups and joins.
CREATE STREAM r (a INT NULL, b BIGINT NULL, s VARCHAR NULL, d DECIMAL(8,2) NULL);
CREATE STREAM u (a INT NULL, c INT, s VARCHAR);

CREATE VIEW rows_as_they_are AS SELECT * FROM r;
CREATE VIEW by_null AS SELECT a, COUNT(*) AS n, COUNT(b) AS nb, SUM(b) AS t, AVG(b) AS m, SUM(d) AS sd FROM r GROUP BY a;
CREATE VIEW all_of_it AS SELECT COUNT(*) AS n, COUNT(s) AS ns, SUM(a) AS t, AVG(d) AS m FROM r;
CREATE VIEW joined AS SELECT r.a, u.c FROM r, u WHERE r.a = u.a;
CREATE VIEW joined_mixed AS SELECT r.s, SUM(r.b * u.c) AS t, COUNT(r.b + u.a) AS n FROM r, u WHERE r.s = u.s GROUP BY r.s;
CREATE VIEW joined_same AS SELECT r.b, u.c FROM r, u WHERE r.a IS NOT DISTINCT FROM u.a;
CREATE VIEW joined_expression AS SELECT r.b, u.c FROM r, u WHERE r.a + 1 = u.a * 2;
CREATE VIEW tests AS SELECT b FROM r WHERE NOT (a > 1 AND b < 3) OR s IS NULL;
CREATE VIEW in_list AS SELECT b FROM r WHERE a IN (1, 2, NULL);
CREATE VIEW not_in_list AS SELECT b FROM r WHERE a NOT IN (1, 2);
CREATE VIEW not_in_null AS SELECT b FROM r WHERE a NOT IN (1, NULL);
CREATE VIEW chosen AS SELECT CASE WHEN a > 1 THEN b END AS x, COALESCE(a, b, 7) AS y, NULLIF(a, 2) AS z FROM r;
CREATE VIEW parts AS SELECT a IS NULL AS n, (a > b) IS TRUE AS t, (a > b) IS NOT FALSE AS f, a IS DISTINCT FROM b AS d FROM r;
CREATE VIEW quotients AS SELECT a / b AS q, a % b AS m FROM r WHERE a / b > 0 OR b IS NULL;
CREATE VIEW sums_of_quotients AS SELECT s, SUM(a / b) AS q, COUNT(a / b) AS n FROM r GROUP BY s;
CREATE VIEW texts AS SELECT s || 'x' AS a, CONCAT(s, 'x') AS b, LENGTH(s) AS l, GREATEST(a, b) AS g, LEAST(a, b, 2) AS m FROM r;
CREATE VIEW having_null AS SELECT a, SUM(b) AS t FROM r GROUP BY a HAVING SUM(b) > 1 OR a IS NULL;
CREATE VIEW distinct_rows AS SELECT DISTINCT a, s FROM r;
CREATE VIEW distinct_counts AS SELECT a, COUNT(DISTINCT b) AS n, SUM(DISTINCT b) AS t, AVG(b) AS m, COUNT(b) AS nb FROM r GROUP BY a;
CREATE VIEW all_distinct AS SELECT COUNT(DISTINCT a) AS n, AVG(b) AS m, SUM(d) AS t FROM r;
CREATE VIEW constants AS SELECT NULL AS n, a + NULL AS p, COUNT(*) AS c FROM u GROUP BY a;
CREATE VIEW likes AS SELECT b FROM r WHERE s LIKE 'a%' OR NOT (s LIKE '%b');
