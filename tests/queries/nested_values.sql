-- Scalar subqueries: in conditions, over groups, in the select list; correlated counts are 0 where nothing is found.
CREATE STREAM r (a INT, b BIGINT, p DECIMAL(10,2), s VARCHAR);
CREATE STREAM u (a INT, c INT, s VARCHAR, d DOUBLE);

CREATE VIEW above_all AS SELECT a, b FROM r WHERE b > (SELECT SUM(c) FROM u);
CREATE VIEW share AS SELECT SUM(p) AS t FROM r WHERE p * 4 >= (SELECT SUM(p) FROM r);
CREATE VIEW above_mean AS SELECT s, COUNT(*) AS n FROM r WHERE b > 0.5 * (SELECT AVG(c) FROM u) GROUP BY s;
CREATE VIEW below_own AS SELECT SUM(p) AS t FROM r WHERE b < (SELECT 0.5 * AVG(c) FROM u WHERE u.a = r.a);
CREATE VIEW self_mean AS SELECT a, p FROM r x WHERE p > (SELECT AVG(p) FROM r y WHERE y.s = x.s);
CREATE VIEW by_two AS SELECT r.a FROM r WHERE NOT b <= (SELECT SUM(c) FROM u WHERE u.a = r.a AND u.s = r.s);
CREATE VIEW counts AS SELECT a, b FROM r WHERE b = (SELECT COUNT(*) FROM u WHERE u.a = r.a);
CREATE VIEW count_zero AS SELECT a FROM r WHERE (SELECT COUNT(*) FROM u WHERE u.a = r.a) = 0 OR b = 2;
CREATE VIEW count_all AS SELECT a FROM r WHERE b < (SELECT COUNT(*) FROM u);
CREATE VIEW count_distinct AS SELECT a FROM r WHERE b >= (SELECT COUNT(DISTINCT c) FROM u WHERE u.a = r.a);
CREATE VIEW shown AS SELECT a, (SELECT COUNT(*) FROM u WHERE u.a = r.a) AS n, (SELECT COUNT(*) FROM u) AS m FROM r;
CREATE VIEW shown_twice AS SELECT a, 2 * (SELECT COUNT(*) + 1 FROM u WHERE u.a = r.a) AS n FROM r;
CREATE VIEW shown_with_groups AS SELECT a, SUM(b) AS t, (SELECT COUNT(*) FROM u WHERE u.a = r.a) AS n FROM r GROUP BY a;
CREATE VIEW groups_above AS SELECT s, SUM(b) AS t FROM r GROUP BY s HAVING SUM(b) > (SELECT SUM(c) * 0.5 FROM u);
CREATE VIEW groups_own AS SELECT a, SUM(b) AS t FROM r GROUP BY a HAVING SUM(b) <= (SELECT SUM(d) FROM u WHERE u.a = r.a);
CREATE VIEW summed AS SELECT SUM(b * (SELECT COUNT(*) FROM u WHERE u.a = r.a)) AS t FROM r;
CREATE VIEW two_sides AS SELECT a FROM r WHERE (SELECT SUM(c) FROM u WHERE u.a = r.a) > (SELECT COUNT(*) FROM r);
