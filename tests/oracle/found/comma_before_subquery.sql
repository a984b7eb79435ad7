-- A subquery behind a comma was taken for a JOIN without ON.
CREATE STREAM r (a INT, b INT NULL);
CREATE VIEW v AS SELECT x1.a FROM r AS x1, (SELECT DISTINCT (x3.b) AS c FROM r AS x3 WHERE (x3.b IS NULL OR x3.a = 2)) AS x2, r AS x4, (SELECT (a) FROM r) AS x5;
