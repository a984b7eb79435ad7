-- A scalar subquery that finds no rows is not always NULL.
CREATE STREAM r (a INT NULL, b INT);
CREATE STREAM s (a INT, b INT NULL);
CREATE VIEW end_or_zero AS SELECT r.a, (SELECT COALESCE(MAX(b), 0) FROM s WHERE s.a = r.a) AS v FROM r;
CREATE VIEW different AS SELECT r.a FROM r WHERE r.a > (SELECT COUNT(DISTINCT b) FROM s WHERE s.a = r.a);
CREATE VIEW chosen AS SELECT r.a FROM r WHERE r.a > (SELECT CASE WHEN MIN(b) > 2 THEN 1 ELSE 0 END FROM s WHERE s.a = r.a);
CREATE VIEW from_outside AS SELECT r.a FROM r WHERE r.a >= (SELECT COALESCE(MIN(b), r.a) FROM s WHERE s.a < r.b);
CREATE VIEW sum_or_one AS SELECT r.a FROM r WHERE r.a > (SELECT COALESCE(SUM(b), 1) FROM s WHERE s.a = r.a);
CREATE VIEW of_everything AS SELECT r.a FROM r WHERE r.a > (SELECT COALESCE(SUM(b), 1) FROM s);
CREATE VIEW by_inequality AS SELECT r.a FROM r WHERE r.a > (SELECT COALESCE(SUM(b), 1) FROM s WHERE s.a > r.b);
