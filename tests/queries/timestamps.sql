-- TIMESTAMP as key, in joins, at the ends, in groups by time; parts, truncation, intervals and differences.
CREATE STREAM r (t TIMESTAMP, u TIMESTAMP NULL, a INT, d DATE);
CREATE STREAM w (t TIMESTAMP, k INT, s VARCHAR);

CREATE VIEW rows_as_they_are AS SELECT * FROM r;
CREATE VIEW by_time AS SELECT t, COUNT(*) AS n, COUNT(u) AS nu, SUM(a) AS s FROM r GROUP BY t;
CREATE VIEW by_null AS SELECT u, SUM(a) AS s FROM r GROUP BY u;
CREATE VIEW both_ends AS SELECT a, MIN(t) AS first, MAX(u) AS last FROM r GROUP BY a;
CREATE VIEW of_all AS SELECT MIN(u) AS first, MAX(t) AS last, COUNT(DISTINCT t) AS n FROM r;
CREATE VIEW joined AS SELECT r.a, w.k, w.t FROM r, w WHERE r.t = w.t;
CREATE VIEW joined_null AS SELECT r.a, COUNT(*) AS n FROM r JOIN w ON r.u = w.t GROUP BY r.a;
CREATE VIEW joined_day AS SELECT r.a, w.k FROM r, w WHERE r.d = CAST(w.t AS DATE);
CREATE VIEW joined_midnight AS SELECT r.a, w.k FROM r, w WHERE r.d = w.t;
CREATE VIEW before AS SELECT r.a, COUNT(*) AS n FROM r, w WHERE r.t < w.t AND w.s <> 'b' GROUP BY r.a;
CREATE VIEW left_joined AS SELECT r.t, w.k FROM r LEFT JOIN w ON r.t = w.t;
CREATE VIEW filtered AS SELECT t, a FROM r
    WHERE t >= TIMESTAMP '1995-03-15 12:30:00' AND t < '2000-03-01' OR u IN ('1969-12-31 23:59:59.999999', DATE '1995-03-16');
CREATE VIEW days AS SELECT a, d FROM r WHERE d < TIMESTAMP '1995-03-16 00:00:00' OR d > TIMESTAMP '1995-03-16 12:00:00';
CREATE VIEW per_hour AS SELECT DATE_TRUNC('hour', t) AS h, COUNT(*) AS n FROM r GROUP BY DATE_TRUNC('hour', t);
CREATE VIEW per_bucket AS SELECT TIME_BUCKET(INTERVAL '15 minutes', t) AS b, SUM(a) AS s FROM r GROUP BY 1;
CREATE VIEW per_part AS SELECT EXTRACT(HOUR FROM t) AS h, EXTRACT(YEAR FROM u) AS y, COUNT(*) AS n FROM r GROUP BY 1, 2;
CREATE VIEW later AS SELECT t + INTERVAL '1' DAY AS d, u - INTERVAL '90 minutes' AS m, t + INTERVAL '1 month' AS o FROM r;
CREATE VIEW differences AS SELECT t - u AS p, DATE_DIFF('hour', t, u) AS h, t - d AS q FROM r;
CREATE VIEW close AS SELECT r.a, w.k FROM r, w WHERE w.t - r.t BETWEEN INTERVAL '0' SECOND AND INTERVAL '36 hours';
CREATE VIEW latest AS SELECT a, t FROM r WHERE t = (SELECT MAX(t) FROM r r2 WHERE r2.a = r.a);
CREATE VIEW members AS SELECT a FROM r WHERE u NOT IN (SELECT t FROM w);
CREATE VIEW ordered AS SELECT t, COUNT(*) AS n FROM r GROUP BY t ORDER BY t DESC LIMIT 2;
CREATE VIEW chosen AS SELECT COALESCE(u, t) AS c, CASE WHEN a > 1 THEN t ELSE d END AS m, GREATEST(t, d, u) AS g FROM r;
CREATE VIEW sides AS SELECT t FROM r UNION SELECT t FROM w EXCEPT SELECT u FROM r;
