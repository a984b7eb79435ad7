-- Ends, HAVING and DISTINCT in subqueries that are tied by something else than an equality were refused.
CREATE STREAM r (a INT NULL, b INT);
CREATE STREAM s (a INT, b INT NULL);
CREATE VIEW greatest AS SELECT r.a, (SELECT MAX(b) FROM s WHERE s.a < r.b) AS v FROM r;
CREATE VIEW counted AS SELECT r.a, (SELECT COUNT(DISTINCT b) FROM s WHERE s.a <> r.b) AS v FROM r;
CREATE VIEW having AS SELECT r.a FROM r WHERE EXISTS (SELECT s.b FROM s WHERE s.a < r.b GROUP BY s.b HAVING SUM(s.a) < r.a);
