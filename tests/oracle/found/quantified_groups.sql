-- ALL over groups that are tied by an inequality ended in an assertion.
CREATE STREAM s (a INT NULL, b DECIMAL(10,2));
CREATE STREAM t (a INT, b DECIMAL(10,2) NULL);
CREATE VIEW v AS SELECT x1.a FROM s AS x1 WHERE 1 > ALL (SELECT x2.a FROM t AS x2 WHERE x2.b < x1.b GROUP BY x2.a);
