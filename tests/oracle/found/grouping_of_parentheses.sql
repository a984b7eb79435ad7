-- GROUPING((a * c)) did not see that the set holds a * c.
CREATE STREAM t (a INT NULL, b BOOLEAN, c INT);
CREATE VIEW v AS SELECT SUM(x1.c) AS s, GROUPING((x1.c * x1.a)) AS g FROM t AS x1 GROUP BY CUBE (x1.c * x1.a);
