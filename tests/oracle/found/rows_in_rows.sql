-- IN over several columns that can be NULL was refused inside another condition.
CREATE STREAM r (a INT NULL, b INT NULL);
CREATE STREAM s (a INT NULL, b INT NULL);
CREATE VIEW shown AS SELECT r.a, (r.a, r.b) IN (SELECT a, b FROM s) AS v FROM r;
CREATE VIEW not_in AS SELECT r.a FROM r WHERE (a, b) NOT IN (SELECT a, b FROM s);
CREATE VIEW not_in_groups AS SELECT r.a FROM r WHERE (a, b) NOT IN (SELECT a, SUM(b) FROM s GROUP BY a);
CREATE VIEW half_literal AS SELECT r.a, (r.a, 1) IN (SELECT a, b FROM s) AS v FROM r;
