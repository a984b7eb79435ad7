-- TPC-H shaped, around the order lines: pricing, revenue change, shipping modes, promotions, brands.
CREATE STREAM lineitem (
    l_orderkey INT, l_partkey INT, l_suppkey INT, l_linenumber INT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2),
    l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE,
    l_commitdate DATE, l_receiptdate DATE, l_shipinstruct VARCHAR, l_shipmode VARCHAR);
CREATE STREAM orders (o_orderkey INT, o_custkey INT, o_orderdate DATE, o_orderpriority VARCHAR, o_shippriority INT);
CREATE STREAM part (p_partkey INT, p_brand VARCHAR, p_type VARCHAR, p_size INT, p_container VARCHAR);

CREATE VIEW q1 AS
    SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
           SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
           SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, AVG(l_quantity) AS avg_qty,
           AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
    FROM lineitem WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus;
CREATE VIEW q6 AS
    SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
    WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
      AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24;
CREATE VIEW q12 AS
    SELECT l_shipmode,
           SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
           SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
    FROM orders, lineitem
    WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
      AND l_shipdate < l_commitdate AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01'
    GROUP BY l_shipmode;
CREATE VIEW q14 AS
    SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END)
           / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
    FROM lineitem, part
    WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01' AND l_shipdate < DATE '1995-10-01';
CREATE VIEW q19 AS
    SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part
    WHERE (p_partkey = l_partkey AND p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
           AND l_quantity >= 1 AND l_quantity <= 1 + 10 AND p_size BETWEEN 1 AND 5
           AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
       OR (p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
           AND l_quantity >= 10 AND l_quantity <= 10 + 10 AND p_size BETWEEN 1 AND 10
           AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
       OR (p_partkey = l_partkey AND p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
           AND l_quantity >= 20 AND l_quantity <= 20 + 10 AND p_size BETWEEN 1 AND 15
           AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON');
CREATE VIEW late_lines AS
    SELECT o_orderpriority, COUNT(*) AS lines FROM orders, lineitem
    WHERE o_orderkey = l_orderkey AND l_commitdate < l_receiptdate AND o_orderdate >= DATE '1993-07-01'
      AND o_orderdate < DATE '1993-10-01' AND l_shipdate >= DATE '1993-07-01' AND l_commitdate >= DATE '1993-12-01'
    GROUP BY o_orderpriority;
CREATE VIEW shipped_by_type AS
    SELECT p_type, SUM(l_quantity) AS quantity, AVG(l_extendedprice * (1 - l_discount)) AS mean FROM part, lineitem
    WHERE p_partkey = l_partkey GROUP BY p_type;
CREATE VIEW recent_lines AS
    SELECT o_custkey, l_linenumber, l_extendedprice * (1 + l_tax) AS charge FROM lineitem JOIN orders ON l_orderkey = o_orderkey
    WHERE o_shippriority = 0;
