-- Both sides change at once: the product of two deltas.
CREATE STREAM follows (a INT, b INT);
CREATE VIEW two_steps AS SELECT COUNT(*) AS n FROM follows AS x, follows AS y WHERE x.b = y.a;
