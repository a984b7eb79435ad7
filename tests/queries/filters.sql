-- Conditions of every kind in WHERE, in CASE and in conditional sums.
CREATE STREAM r (a INT, b BIGINT, p DECIMAL(10,2), w DOUBLE, d DATE, s VARCHAR, ok BOOLEAN);
CREATE STREAM u (a INT, q DECIMAL(8,3), name VARCHAR, since DATE, live BOOLEAN);

CREATE VIEW and_or_not AS SELECT COUNT(*) AS n, SUM(a) AS a FROM r WHERE (a > 1 OR b < 0) AND NOT (a = 3 AND b = 2);
CREATE VIEW between_and_in AS
    SELECT a, COUNT(*) AS n FROM r WHERE b BETWEEN -1 AND 3 AND a NOT IN (2, 7) AND p NOT BETWEEN 0.05 AND 0.10 GROUP BY a;
CREATE VIEW strings AS
    SELECT s, COUNT(*) AS n FROM r WHERE s IN ('', 'ab', 'it''s', 'ünï') OR s > 'a' AND s <= 'b' GROUP BY s;
CREATE VIEW patterns AS
    SELECT SUM(CASE WHEN s LIKE 'a%' THEN 1 ELSE 0 END) AS starts, SUM(CASE WHEN s LIKE '%_b%' THEN 1 ELSE 0 END) AS inside,
           SUM(CASE WHEN s LIKE 'a!%b!_c' ESCAPE '!' THEN 1 ELSE 0 END) AS literal,
           SUM(CASE WHEN s NOT LIKE '___' THEN a ELSE 0 END) AS not_three, SUM(CASE WHEN s LIKE '' THEN 1 ELSE 0 END) AS blank
    FROM r;
CREATE VIEW dates AS
    SELECT d, SUM(p) AS total FROM r
    WHERE d >= DATE '1969-12-31' AND d < '1995-03-16' OR d IN (DATE '9999-12-31', DATE '0001-01-01') GROUP BY d;
CREATE VIEW truths AS SELECT ok, COUNT(*) AS n FROM r WHERE ok OR NOT ok AND a >= 0 GROUP BY ok;
CREATE VIEW flag_equality AS SELECT COUNT(*) AS n FROM r, u WHERE r.ok = u.live AND (r.a = u.a) = TRUE;
CREATE VIEW never AS SELECT a, COUNT(*) AS n FROM r WHERE FALSE GROUP BY a;
CREATE VIEW never_at_all AS SELECT COUNT(*) AS n, SUM(p) AS p, AVG(w) AS w FROM r WHERE a < a;
CREATE VIEW mixed_types AS SELECT COUNT(*) AS n, SUM(w) AS w FROM r WHERE w > a AND p < w AND a <= p AND b <> a AND a < 3000000000 AND a >= -9999999999;
CREATE VIEW simple_case AS
    SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN s ELSE 'many' END AS word, SUM(CASE WHEN ok THEN p ELSE 0 END) AS paid
    FROM r GROUP BY CASE a WHEN 1 THEN 'one' WHEN 2 THEN s ELSE 'many' END;
CREATE VIEW case_across AS
    SELECT r.a, SUM(CASE WHEN r.p > 0 THEN u.q WHEN u.live THEN r.p ELSE 1 END) AS chosen
    FROM r, u WHERE r.a = u.a GROUP BY r.a;
CREATE VIEW case_between_relations AS
    SELECT SUM(CASE WHEN r.d < u.since THEN r.w ELSE u.a END) AS blended, COUNT(*) AS n FROM r, u WHERE r.s = u.name;
CREATE VIEW or_across AS SELECT COUNT(*) AS n FROM r, u WHERE r.a = u.a AND (r.ok OR u.live) AND (r.s = u.name OR r.d = u.since);
CREATE VIEW one_or_other AS SELECT r.a AS left_a, u.a AS right_a FROM r, u WHERE r.a = u.a OR r.s = u.name;
