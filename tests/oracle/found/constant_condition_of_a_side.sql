-- A condition without columns, inside a view on one side of an outer join, emptied the other side too.
CREATE STREAM r (a INT NULL, b INT NULL);
CREATE VIEW v1 AS SELECT x1.a FROM r AS x1 WHERE NULL;
CREATE VIEW v2 AS SELECT x1.a FROM r AS x1 LEFT JOIN v1 AS x3 ON TRUE;
CREATE VIEW v3 AS SELECT x1.a FROM v1 AS x3 RIGHT JOIN r AS x1 ON x3.a = x1.a;
