-- Regular expressions with literal patterns: in conditions, as values, beside NULL.
CREATE STREAM r (a INT, s VARCHAR, t VARCHAR NULL);
CREATE STREAM u (a INT, name VARCHAR);

CREATE VIEW found AS SELECT a, s FROM r WHERE REGEXP_MATCHES(s, '^(a|b)+');
CREATE VIEW tilde AS SELECT s, COUNT(*) AS n FROM r WHERE s ~ '[aü].*b' OR s !~ '[[:alpha:]]' GROUP BY s;
CREATE VIEW whole AS SELECT a FROM r WHERE s SIMILAR TO 'a?(b|%b_c)*' OR REGEXP_FULL_MATCH(s, '[A-Z]{3,}');
CREATE VIEW beside_null AS SELECT t, t ~ 'x$' AS f, t NOT SIMILAR TO 'a.' AS g FROM r;
CREATE VIEW counted AS SELECT a, COUNT(*) FILTER (WHERE REGEXP_MATCHES(t, 'A', 'i')) AS n FROM r GROUP BY a;
CREATE VIEW joined AS SELECT r.a, u.name FROM r, u WHERE r.a = u.a AND u.name ~ '^.{2,3}$';
CREATE VIEW words AS SELECT a FROM r WHERE s IN ('BUILDING', 'aab', 'ünb', 'a%b_cb') OR t IN ('x', 'Ax', 'ab') AND a IN (1, 2);
CREATE VIEW names AS SELECT a FROM u WHERE name IN ('ab', 'abc', 'abcd') AND a IN (1, 2);
