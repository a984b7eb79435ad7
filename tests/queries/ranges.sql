-- Sums on one side of a threshold: answered from ordered indexes, with keys of every type, NULL among them.
CREATE STREAM r (k INT, a INT NULL, d DECIMAL(8,2), x DOUBLE, day DATE, s VARCHAR NULL);
CREATE STREAM u (k INT, b INT, e DECIMAL(8,2) NULL, y DOUBLE NULL, day DATE, s VARCHAR);

CREATE VIEW above AS SELECT SUM(r.d) AS t, COUNT(*) AS n, SUM(r.x * u.y) AS p FROM r, u WHERE r.a > u.b;
CREATE VIEW below_in_groups AS SELECT u.k, SUM(r.x) AS t, COUNT(*) AS n FROM r, u WHERE r.k = u.k AND r.d <= u.e GROUP BY u.k;
CREATE VIEW shifted AS SELECT COUNT(*) AS n, SUM(u.b) AS t FROM r, u WHERE r.k = u.k AND r.a + 1 > u.b - 2;
CREATE VIEW band AS SELECT COUNT(*) AS n, SUM(r.d - u.e) AS t FROM r, u WHERE r.d BETWEEN u.e - 1 AND u.e + 0.5;
CREATE VIEW outside AS SELECT r.k, SUM(u.y) AS t, COUNT(*) AS n FROM r, u WHERE r.k = u.k AND (r.x - u.y > 0.5 OR u.y - r.x > 0.25) GROUP BY r.k;
CREATE VIEW overlapping AS SELECT COUNT(*) AS n, SUM(r.k) AS t FROM r, u WHERE r.a > u.b OR r.a < u.k OR r.a >= 2;
CREATE VIEW days AS SELECT COUNT(*) AS n FROM r, u WHERE r.day < u.day;
CREATE VIEW words AS SELECT u.k, COUNT(*) AS n FROM r, u WHERE r.s >= u.s GROUP BY u.k;
CREATE VIEW scaled AS SELECT SUM(r.x) AS t, COUNT(*) AS n FROM r, u WHERE r.x * -2 < u.y;
CREATE VIEW mixed_types AS SELECT SUM(u.b) AS t, COUNT(*) AS n FROM r, u WHERE r.d > u.b AND r.x < u.b;
CREATE VIEW self_order AS SELECT p.k, SUM(p.x * p.d - q.x * q.d) AS t FROM r p, r q WHERE p.k = q.k AND p.a > q.a GROUP BY p.k;
CREATE VIEW share AS SELECT SUM(d) AS t, COUNT(*) AS n FROM r WHERE d > 0.2 * (SELECT SUM(e) FROM u);
CREATE VIEW two_shares AS SELECT SUM(r.x - u.y) AS t FROM r, u
WHERE r.d > 0.1 * (SELECT SUM(d) FROM r) AND u.b > 0.1 * (SELECT SUM(b) FROM u);
CREATE VIEW at_least_mean AS SELECT u.k, COUNT(*) AS n, SUM(b) AS t FROM u WHERE u.b >= (SELECT AVG(b) FROM u) GROUP BY u.k;
CREATE VIEW beneath_own_mean AS SELECT SUM(d) AS t, COUNT(*) AS n FROM r p WHERE p.d < (SELECT 0.9 * AVG(d) FROM r q WHERE q.k = p.k);
CREATE VIEW three AS SELECT COUNT(*) AS n FROM r p, u, r q WHERE p.a < u.b AND u.b < q.a;
CREATE VIEW listed AS SELECT r.k, r.a, u.b FROM r, u WHERE r.a > u.b AND r.k = u.k;
