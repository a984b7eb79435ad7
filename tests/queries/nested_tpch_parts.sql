-- TPC-H queries with subqueries, as in the benchmark but for thresholds and codes that small data can reach: parts.
CREATE STREAM lineitem (l_orderkey INT, l_partkey INT, l_suppkey INT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2),
    l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE);
CREATE STREAM part (p_partkey INT, p_name VARCHAR, p_brand VARCHAR, p_type VARCHAR, p_size INT, p_container VARCHAR);
CREATE STREAM supplier (s_suppkey INT, s_name VARCHAR, s_nationkey INT, s_comment VARCHAR);
CREATE STREAM partsupp (ps_partkey INT, ps_suppkey INT, ps_availqty INT, ps_supplycost DECIMAL(15,2));
CREATE TABLE nation (n_nationkey INT, n_name VARCHAR);

CREATE VIEW q11 AS
    SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation
    WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY'
    GROUP BY ps_partkey
    HAVING SUM(ps_supplycost * ps_availqty) > (
        SELECT SUM(ps_supplycost * ps_availqty) * 0.25 FROM partsupp, supplier, nation
        WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY')
    ORDER BY value DESC;
CREATE VIEW q16 AS
    SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt FROM partsupp, part
    WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45' AND p_type NOT LIKE 'MEDIUM POLISHED%'
      AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
      AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%')
    GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size;
CREATE VIEW q17 AS
    SELECT SUM(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part
    WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
      AND l_quantity < (SELECT 0.5 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey);
CREATE VIEW q20 AS
    SELECT s_name FROM supplier, nation
    WHERE s_suppkey IN (
        SELECT ps_suppkey FROM partsupp
        WHERE ps_partkey IN (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%')
          AND ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem
              WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
                AND l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR))
      AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name;
