-- LEFT, RIGHT, FULL, NATURAL and USING; conditions of every kind; chains of outer joins.
CREATE STREAM r (a INT, b INT NULL, s VARCHAR);
CREATE STREAM u (a INT NULL, c INT, s VARCHAR NULL);
CREATE STREAM w (c INT, d INT NULL);

CREATE VIEW left_joined AS SELECT r.a, r.b, u.c FROM r LEFT JOIN u ON r.a = u.a;
CREATE VIEW right_joined AS SELECT r.a, u.c, u.s FROM r RIGHT JOIN u ON r.a = u.a;
CREATE VIEW full_joined AS SELECT r.a, r.b, u.a AS ua, u.c FROM r FULL JOIN u ON r.b = u.a;
CREATE VIEW left_star AS SELECT * FROM r LEFT OUTER JOIN w ON b = c;
CREATE VIEW left_filtered AS SELECT r.a, u.c FROM r LEFT JOIN u ON r.a = u.a AND u.c > 1 AND r.b > 0;
CREATE VIEW left_theta AS SELECT r.a, u.c FROM r LEFT JOIN u ON r.a < u.c;
CREATE VIEW anti AS SELECT r.a, r.s FROM r LEFT JOIN u ON r.a = u.a WHERE u.c IS NULL;
CREATE VIEW counted AS SELECT r.a, COUNT(u.c) AS n, SUM(u.c) AS t, COUNT(*) AS m FROM r LEFT JOIN u ON r.a = u.a GROUP BY r.a;
CREATE VIEW chain AS SELECT r.a, u.c, w.d FROM r LEFT JOIN u ON r.a = u.a LEFT JOIN w ON u.c = w.c;
CREATE VIEW fork AS SELECT r.a, u.c, w.d FROM r LEFT JOIN u ON r.a = u.a LEFT JOIN w ON r.b = w.c;
CREATE VIEW after_inner AS SELECT r.b, u.c, w.d FROM r JOIN u ON r.a = u.a LEFT JOIN w ON u.c = w.c;
CREATE VIEW both_sides AS SELECT r.b, u.c, w.d FROM r JOIN u ON r.a = u.a LEFT JOIN w ON u.c = w.c AND r.b = w.d;
CREATE VIEW right_after_inner AS SELECT r.b, u.c, w.d FROM r JOIN u ON r.a = u.a RIGHT JOIN w ON u.c = w.c;
CREATE VIEW beside AS SELECT r.a, u.c, w.d FROM w, r LEFT JOIN u ON r.a = u.a WHERE w.c = r.a;
CREATE VIEW used AS SELECT a, b, c FROM r JOIN u USING (a);
CREATE VIEW used_left AS SELECT a, COUNT(c) AS n FROM r LEFT JOIN u USING (a) GROUP BY a;
CREATE VIEW used_right AS SELECT a, r.s, u.s AS us FROM r RIGHT JOIN u USING (a);
CREATE VIEW used_full AS SELECT a, r.a AS ra, u.a AS ua, c FROM r FULL JOIN u USING (a);
CREATE VIEW used_star AS SELECT * FROM r JOIN u USING (a, s);
CREATE VIEW natural_star AS SELECT * FROM u NATURAL JOIN w;
CREATE VIEW natural_full AS SELECT * FROM u NATURAL FULL JOIN w;
CREATE VIEW crossed AS SELECT COUNT(*) AS n FROM r CROSS JOIN w;
CREATE VIEW self_left AS SELECT x.a, y.b FROM r x LEFT JOIN r y ON x.b = y.a;
CREATE VIEW over_queries AS SELECT q.a, t.n FROM (SELECT a, b FROM r WHERE b > 0) q
LEFT JOIN (SELECT a, COUNT(*) AS n FROM u GROUP BY a) t ON q.a = t.a;
CREATE VIEW just_count AS SELECT COUNT(*) AS n FROM r LEFT JOIN u ON r.a = u.a;
