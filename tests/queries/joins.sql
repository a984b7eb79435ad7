-- Two to six relations: chains, stars, values that span relations, shared maps.
CREATE STREAM r (a INT, b INT);
CREATE STREAM s (b INT, c INT);
CREATE STREAM t (c INT, d DECIMAL(10,2));
CREATE STREAM x (d DECIMAL(10,2), e VARCHAR);
CREATE STREAM y (e VARCHAR, f DATE);
CREATE STREAM z (f DATE, g DOUBLE);

CREATE VIEW two AS SELECT COUNT(*) AS n FROM r, s WHERE r.b = s.b;
CREATE VIEW two_grouped AS SELECT r.a, SUM(s.c) AS c FROM r JOIN s ON r.b = s.b GROUP BY r.a;
CREATE VIEW three_by_middle AS SELECT s.b, SUM(r.a * t.d) AS total FROM r, s, t WHERE r.b = s.b AND s.c = t.c GROUP BY s.b;
CREATE VIEW three_by_ends AS SELECT r.a, t.d, COUNT(*) AS n FROM r, s, t WHERE r.b = s.b AND s.c = t.c GROUP BY r.a, t.d;
CREATE VIEW four AS SELECT x.e, SUM(r.a) AS a, AVG(t.d) AS d FROM r, s, t, x WHERE r.b = s.b AND s.c = t.c AND t.d = x.d GROUP BY x.e;
CREATE VIEW five AS
    SELECT COUNT(*) AS n, SUM(r.a * x.d) AS total FROM r, s, t, x, y
    WHERE r.b = s.b AND s.c = t.c AND t.d = x.d AND x.e = y.e;
CREATE VIEW six AS
    SELECT r.a, SUM(z.g) AS g FROM r, s, t, x, y, z
    WHERE r.b = s.b AND s.c = t.c AND t.d = x.d AND x.e = y.e AND y.f = z.f GROUP BY r.a;
CREATE VIEW sum_across AS SELECT s.b, SUM(r.a + s.c) AS plus, SUM(r.a - s.c * 2) AS minus FROM r, s WHERE r.b = s.b GROUP BY s.b;
CREATE VIEW product_across AS SELECT SUM(r.a * (1 - t.d)) AS discounted FROM r, s, t WHERE r.b = s.b AND s.c = t.c;
CREATE VIEW polynomial AS
    SELECT r.b, SUM((r.a + s.c) * (r.a - s.c)) AS squares, SUM((r.a + s.c) / 2) AS half FROM r, s WHERE r.b = s.b GROUP BY r.b;
CREATE VIEW doubles_across AS SELECT y.e, SUM(z.g * 2 + 1) AS g, AVG(z.g) AS mean FROM y, z WHERE y.f = z.f GROUP BY y.e;
CREATE VIEW cross_product AS SELECT SUM(r.a * x.d) AS total, COUNT(*) AS n, AVG(r.a + x.d) AS mean FROM r, x;
CREATE VIEW grouped_cross_product AS SELECT r.a, y.e, COUNT(*) AS n FROM r, y GROUP BY r.a, y.e;
CREATE VIEW star AS SELECT s.c, COUNT(*) AS n FROM s, r, t WHERE s.b = r.b AND s.c = t.c AND r.a > 0 AND t.d >= 0 GROUP BY s.c;
