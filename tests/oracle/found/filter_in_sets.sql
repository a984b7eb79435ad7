-- The condition of FILTER saw the NULL that stands for a column another set groups by.
CREATE STREAM r (a INT NULL, c BIGINT NULL);
CREATE VIEW v AS SELECT SUM(a) FILTER (WHERE (c > -1) IS NOT NULL) AS s FROM r GROUP BY CUBE (c);
