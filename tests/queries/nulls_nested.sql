-- Subqueries over columns that can be NULL, and subqueries that are NULL themselves.
CREATE STREAM r (a INT NULL, b BIGINT NULL, k INT);
CREATE STREAM u (a INT NULL, c INT NULL, k INT);

CREATE VIEW members AS SELECT b FROM r WHERE a IN (SELECT a FROM u);
CREATE VIEW no_members AS SELECT b FROM r WHERE a NOT IN (SELECT a FROM u);
CREATE VIEW no_members_tied AS SELECT b FROM r WHERE a NOT IN (SELECT a FROM u WHERE u.k = r.k);
CREATE VIEW no_groups AS SELECT b FROM r WHERE a NOT IN (SELECT SUM(c) FROM u WHERE u.k = r.k GROUP BY a);
CREATE VIEW member_flag AS SELECT b, a IN (SELECT c FROM u) AS f FROM r;
CREATE VIEW matched AS SELECT b FROM r WHERE EXISTS (SELECT 1 FROM u WHERE u.a = r.a);
CREATE VIEW unmatched AS SELECT a, b FROM r WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = r.a);
CREATE VIEW totals AS SELECT a, (SELECT SUM(c) FROM u WHERE u.a = r.a) AS t FROM r;
CREATE VIEW averages AS SELECT k, (SELECT AVG(c) + COUNT(*) FROM u WHERE u.k = r.k) AS t FROM r;
CREATE VIEW whole AS SELECT b, (SELECT SUM(c) FROM u) AS t FROM r;
CREATE VIEW above AS SELECT b FROM r WHERE b > (SELECT AVG(c) FROM u WHERE u.k = r.k);
CREATE VIEW above_or AS SELECT b FROM r WHERE b > (SELECT SUM(c) FROM u WHERE u.k = r.k) OR a IS NULL;
CREATE VIEW counted AS SELECT b, (SELECT COUNT(*) FROM u WHERE u.a = r.a) AS n, (SELECT COUNT(c) FROM u WHERE u.k = r.k) AS m FROM r;
CREATE VIEW smaller_exists AS SELECT a, b FROM r WHERE EXISTS (SELECT 1 FROM u WHERE u.k = r.k AND u.c <> r.b);
CREATE VIEW no_smaller AS SELECT a, b FROM r WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.c < r.b);
CREATE VIEW running AS SELECT k, (SELECT SUM(c) FROM u WHERE u.k <= r.k) AS t FROM r;
CREATE VIEW running_count AS SELECT k, b FROM r WHERE (SELECT COUNT(*) FROM u WHERE u.k <= r.k) > 1;
CREATE VIEW mixed AS SELECT k, (SELECT SUM(u.c * r.b) FROM u WHERE u.k = r.k) AS t FROM r;
