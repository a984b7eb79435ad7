-- A subquery that selects a column of the query around it was refused as if that column were unknown.
CREATE STREAM r (a INT NULL, b INT NULL);
CREATE STREAM s (a INT NULL, b INT NULL);
CREATE VIEW found AS SELECT r.a FROM r WHERE EXISTS (SELECT DISTINCT r.a FROM s WHERE s.b = r.b);
CREATE VIEW members AS SELECT r.a, r.b IN (SELECT r.a FROM s WHERE s.b = r.b) AS v FROM r;
CREATE VIEW quantified AS SELECT r.a FROM r WHERE r.b >= ALL (SELECT r.a + s.a FROM s);
CREATE VIEW summed AS SELECT r.a, (SELECT SUM(s.a * r.b) FROM s WHERE s.b < r.b) AS v FROM r;
