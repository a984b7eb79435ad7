-- One relation under several aliases: paths, triangles, cycles, pairs, and batches that meet themselves.
CREATE STREAM e (src INT, dst INT, cost INT);

CREATE VIEW pairs AS SELECT COUNT(*) AS n FROM e AS x, e AS y WHERE x.src = y.src;
CREATE VIEW pairs_by_cost AS SELECT x.cost, SUM(y.cost) AS other FROM e x, e y WHERE x.dst = y.dst GROUP BY x.cost;
CREATE VIEW two_paths AS SELECT x.src, y.dst, COUNT(*) AS n FROM e x, e y WHERE x.dst = y.src GROUP BY x.src, y.dst;
CREATE VIEW two_path_bag AS SELECT x.src, x.dst AS mid, y.dst FROM e x, e y WHERE x.dst = y.src;
CREATE VIEW three_paths AS SELECT COUNT(*) AS n, SUM(x.cost + y.cost + z.cost) AS cost FROM e x, e y, e z WHERE x.dst = y.src AND y.dst = z.src;
CREATE VIEW three_paths_by_end AS
    SELECT x.src, SUM(z.cost) AS cost FROM e x, e y, e z WHERE x.dst = y.src AND y.dst = z.src GROUP BY x.src;
CREATE VIEW four_paths AS
    SELECT x.src, u.dst, COUNT(*) AS n FROM e x, e y, e z, e u WHERE x.dst = y.src AND y.dst = z.src AND z.dst = u.src
    GROUP BY x.src, u.dst;
CREATE VIEW triangles AS SELECT COUNT(*) AS n FROM e x, e y, e z WHERE x.dst = y.src AND y.dst = z.src AND z.dst = x.src;
CREATE VIEW weighted_triangles AS
    SELECT x.src, SUM(x.cost * y.cost * z.cost) AS cost FROM e x, e y, e z
    WHERE x.dst = y.src AND y.dst = z.src AND z.dst = x.src GROUP BY x.src;
CREATE VIEW four_cycles AS
    SELECT COUNT(*) AS n FROM e x, e y, e z, e u WHERE x.dst = y.src AND y.dst = z.src AND z.dst = u.src AND u.dst = x.src;
CREATE VIEW loops AS SELECT src, COUNT(*) AS n FROM e WHERE src = dst GROUP BY src;
CREATE VIEW keys_on_different_aliases AS
    SELECT x.cost AS first_cost, y.dst AS mid, z.cost AS last_cost, COUNT(*) AS n FROM e x, e y, e z
    WHERE x.src = y.src AND y.src = z.src GROUP BY x.cost, y.dst, z.cost;
CREATE VIEW cheaper AS SELECT x.src, COUNT(*) AS n FROM e x, e y WHERE x.src = y.src AND x.cost < y.cost GROUP BY x.src;
