-- TPC-H queries with subqueries, as in the benchmark but for thresholds and codes that small data can reach: orders.
CREATE STREAM lineitem (l_orderkey INT, l_partkey INT, l_suppkey INT, l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2),
    l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE);
CREATE STREAM orders (o_orderkey INT, o_custkey INT, o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority VARCHAR);
CREATE STREAM customer (c_custkey INT, c_name VARCHAR, c_phone VARCHAR, c_acctbal DECIMAL(15,2));

CREATE VIEW q4 AS
    SELECT o_orderpriority, COUNT(*) AS order_count FROM orders
    WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
      AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
    GROUP BY o_orderpriority ORDER BY o_orderpriority;
CREATE VIEW q18 AS
    SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) AS quantity FROM customer, orders, lineitem
    WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 1)
      AND c_custkey = o_custkey AND o_orderkey = l_orderkey
    GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
    ORDER BY o_totalprice DESC, o_orderdate, 1, 2, 3 LIMIT 100;
CREATE VIEW q22 AS
    SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal
    FROM (SELECT SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal FROM customer
          WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', 'ab', 'BU', 'a ', '18', '17')
            AND c_acctbal > (SELECT AVG(c_acctbal) FROM customer
                WHERE c_acctbal > 0.00 AND c_acctbal < 9.00 AND SUBSTRING(c_phone, 1, 2) IN ('13', '31', 'ab', 'BU', 'a ', '18', '17'))
            AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
    GROUP BY cntrycode ORDER BY cntrycode;
