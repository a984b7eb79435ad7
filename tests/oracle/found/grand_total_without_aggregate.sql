-- A set of no columns is one group, also where the only aggregate stands in a subquery, or none does.
CREATE STREAM r (a INT, b BOOLEAN NULL);
CREATE STREAM s (a INT);
CREATE VIEW subquery AS SELECT (SELECT SUM(x3.a) FROM s AS x3) AS total FROM r AS x1 GROUP BY ROLLUP (a);
CREATE VIEW literal AS SELECT 1 AS k FROM r AS x1 GROUP BY ROLLUP (a);
CREATE VIEW by_position AS SELECT a AS k FROM r AS x1 GROUP BY ROLLUP (1);
