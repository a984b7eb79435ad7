-- TPC-H shaped, customers and suppliers: three to six relations with nation under two aliases.
CREATE STREAM lineitem (l_orderkey INT, l_partkey INT, l_suppkey INT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2),
    l_discount DECIMAL(15,2), l_returnflag VARCHAR, l_shipdate DATE);
CREATE STREAM orders (o_orderkey INT, o_custkey INT, o_orderdate DATE, o_shippriority INT);
CREATE STREAM customer (c_custkey INT, c_name VARCHAR, c_nationkey INT, c_acctbal DECIMAL(15,2), c_mktsegment VARCHAR);
CREATE STREAM supplier (s_suppkey INT, s_nationkey INT);
CREATE STREAM partsupp (ps_partkey INT, ps_suppkey INT, ps_supplycost DECIMAL(15,2));
CREATE TABLE nation (n_nationkey INT, n_name VARCHAR, n_regionkey INT);
CREATE TABLE region (r_regionkey INT, r_name VARCHAR);

CREATE VIEW q3 AS
    SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
    FROM customer, orders, lineitem
    WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
      AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
    GROUP BY l_orderkey, o_orderdate, o_shippriority;
CREATE VIEW q5 AS
    SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
    FROM customer, orders, lineitem, supplier, nation, region
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
      AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
      AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
    GROUP BY n_name;
CREATE VIEW q7 AS
    SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, SUM(l_extendedprice * (1 - l_discount)) AS revenue
    FROM supplier, lineitem, orders, customer, nation n1, nation n2
    WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey
      AND c_nationkey = n2.n_nationkey
      AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
      AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
    GROUP BY n1.n_name, n2.n_name;
CREATE VIEW q9 AS
    SELECT n_name, o_orderdate, SUM(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) AS profit
    FROM supplier, lineitem, partsupp, orders, nation
    WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND o_orderkey = l_orderkey
      AND s_nationkey = n_nationkey
    GROUP BY n_name, o_orderdate;
CREATE VIEW q10 AS
    SELECT c_custkey, c_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name
    FROM customer, orders, lineitem, nation
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
      AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
    GROUP BY c_custkey, c_name, c_acctbal, n_name;
CREATE VIEW stock_value AS
    SELECT ps_partkey, SUM(ps_supplycost * 2) AS value FROM partsupp, supplier, nation
    WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY' GROUP BY ps_partkey;
CREATE VIEW customers_by_region AS
    SELECT r_name, COUNT(*) AS customers, AVG(c_acctbal) AS balance FROM customer, nation, region
    WHERE c_nationkey = n_nationkey AND n_regionkey = r_regionkey GROUP BY r_name;
CREATE VIEW same_nation AS SELECT COUNT(*) AS n FROM customer, supplier WHERE c_nationkey = s_nationkey AND c_acctbal > 0;
