-- Equality across types and over expressions; keys of every type.
CREATE STREAM l (i INT, g BIGINT, p DECIMAL(10,2), w DOUBLE, d DATE, s VARCHAR, ok BOOLEAN);
CREATE STREAM m (i INT, g BIGINT, p DECIMAL(12,4), w DOUBLE, d DATE, s VARCHAR, ok BOOLEAN);

CREATE VIEW int_bigint AS SELECT l.i, COUNT(*) AS n, SUM(m.p) AS p FROM l, m WHERE l.i = m.g GROUP BY l.i;
CREATE VIEW int_decimal AS SELECT COUNT(*) AS n, SUM(l.w) AS w FROM l, m WHERE l.i = m.p;
CREATE VIEW two_scales AS SELECT l.p, SUM(m.i) AS i FROM l, m WHERE l.p = m.p GROUP BY l.p;
CREATE VIEW double_keys AS SELECT l.w, SUM(m.w) AS w FROM l, m WHERE l.w = m.w GROUP BY l.w;
CREATE VIEW int_double AS SELECT m.w, COUNT(*) AS n FROM l, m WHERE l.i = m.w GROUP BY m.w;
CREATE VIEW string_keys AS SELECT l.s, m.i, COUNT(*) AS n FROM l, m WHERE l.s = m.s GROUP BY l.s, m.i;
CREATE VIEW date_keys AS SELECT l.d, AVG(m.p) AS p FROM l, m WHERE l.d = m.d GROUP BY l.d;
CREATE VIEW bool_keys AS SELECT l.ok, SUM(l.i * m.i) AS i FROM l, m WHERE l.ok = m.ok GROUP BY l.ok;
CREATE VIEW expression_keys AS SELECT m.i, SUM(l.i) AS l_i FROM l, m WHERE l.i + 1 = m.i GROUP BY m.i;
CREATE VIEW both_sides_computed AS SELECT COUNT(*) AS n FROM l, m WHERE l.i + l.g = m.i - m.g;
CREATE VIEW grouped_by_join_key AS SELECT l.i % 2 AS rest, SUM(m.g) AS g FROM l, m WHERE l.i % 2 = m.i % 3 GROUP BY l.i % 2;
CREATE VIEW several_keys AS SELECT l.s, SUM(m.p - l.p) AS p FROM l, m WHERE l.i = m.i AND l.s = m.s AND l.g = m.g + 1 GROUP BY l.s;
CREATE VIEW one_key_twice AS SELECT COUNT(*) AS n FROM l, m WHERE l.i = m.i AND l.i = m.g AND l.g = m.i;
CREATE VIEW chained_casts AS SELECT COUNT(*) AS n FROM l x, m y, l z WHERE x.i = y.g AND y.i = z.g AND z.p = y.p;
CREATE VIEW double_pairs AS SELECT x.ok, SUM(x.w * y.w) AS w, AVG(y.w) AS mean FROM l x, l y WHERE x.i = y.i GROUP BY x.ok;
