-- TPC-H as the thesis on DBToaster adapts it: no ORDER BY and no LIMIT, MIN and MAX as NOT EXISTS, HAVING as a condition on a
-- subquery, an inner join in Q13, intervals computed. Columns are named as there, and the tables are streams.
CREATE STREAM part (
    partkey INT, name VARCHAR(55), mfgr CHAR(25), brand CHAR(10), type VARCHAR(25), size INT, container CHAR(10),
    retailprice DECIMAL(15,2), comment VARCHAR(23));
CREATE STREAM supplier (
    suppkey INT, name CHAR(25), address VARCHAR(40), nationkey INT, phone CHAR(15), acctbal DECIMAL(15,2),
    comment VARCHAR(101));
CREATE STREAM partsupp (partkey INT, suppkey INT, availqty INT, supplycost DECIMAL(15,2), comment VARCHAR(199));
CREATE STREAM customer (
    custkey INT, name VARCHAR(25), address VARCHAR(40), nationkey INT, phone CHAR(15), acctbal DECIMAL(15,2),
    mktsegment CHAR(10), comment VARCHAR(117));
CREATE STREAM orders (
    orderkey INT, custkey INT, orderstatus CHAR(1), totalprice DECIMAL(15,2), orderdate DATE, orderpriority CHAR(15),
    clerk CHAR(15), shippriority INT, comment VARCHAR(79));
CREATE STREAM lineitem (
    orderkey INT, partkey INT, suppkey INT, linenumber INT, quantity DECIMAL(15,2), extendedprice DECIMAL(15,2),
    discount DECIMAL(15,2), tax DECIMAL(15,2), returnflag CHAR(1), linestatus CHAR(1), shipdate DATE, commitdate DATE,
    receiptdate DATE, shipinstruct CHAR(25), shipmode CHAR(10), comment VARCHAR(44));
CREATE STREAM nation (nationkey INT, name CHAR(25), regionkey INT, comment VARCHAR(152));
CREATE STREAM region (regionkey INT, name CHAR(25), comment VARCHAR(152));

CREATE VIEW q1 AS
    SELECT returnflag, linestatus, SUM(quantity) AS sum_qty, SUM(extendedprice) AS sum_base_price,
           SUM(extendedprice * (1 - discount)) AS sum_disc_price,
           SUM(extendedprice * (1 - discount) * (1 + tax)) AS sum_charge, AVG(quantity) AS avg_qty,
           AVG(extendedprice) AS avg_price, AVG(discount) AS avg_disc, COUNT(*) AS count_order
    FROM lineitem WHERE shipdate <= DATE('1997-09-01') GROUP BY returnflag, linestatus;
CREATE VIEW q2 AS
    SELECT s.acctbal, s.name AS supplier_name, n.name AS nation_name, p.partkey, p.mfgr, s.address, s.phone, s.comment
    FROM part p, supplier s, partsupp ps, nation n, region r
    WHERE p.partkey = ps.partkey AND s.suppkey = ps.suppkey AND p.size = 15 AND p.type LIKE '%BRASS'
      AND s.nationkey = n.nationkey AND n.regionkey = r.regionkey AND r.name = 'EUROPE'
      AND NOT EXISTS (
          SELECT 1 FROM partsupp other, supplier s2, nation n2, region r2
          WHERE p.partkey = other.partkey AND s2.suppkey = other.suppkey AND s2.nationkey = n2.nationkey
            AND n2.regionkey = r2.regionkey AND r2.name = 'EUROPE' AND other.supplycost < ps.supplycost);
CREATE VIEW q3 AS
    SELECT o.orderkey, o.orderdate, o.shippriority, SUM(extendedprice * (1 - discount)) AS revenue
    FROM customer c, orders o, lineitem l
    WHERE c.mktsegment = 'BUILDING' AND o.custkey = c.custkey AND l.orderkey = o.orderkey
      AND o.orderdate < DATE('1995-03-15') AND l.shipdate > DATE('1995-03-15')
    GROUP BY o.orderkey, o.orderdate, o.shippriority;
CREATE VIEW q4 AS
    SELECT o.orderpriority, COUNT(*) AS order_count FROM orders o
    WHERE o.orderdate >= DATE('1993-07-01') AND o.orderdate < DATE('1993-10-01')
      AND EXISTS (SELECT * FROM lineitem l WHERE l.orderkey = o.orderkey AND l.commitdate < l.receiptdate)
    GROUP BY o.orderpriority;
CREATE VIEW q5 AS
    SELECT n.name, SUM(l.extendedprice * (1 - l.discount)) AS revenue
    FROM customer c, orders o, lineitem l, supplier s, nation n, region r
    WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND l.suppkey = s.suppkey AND c.nationkey = s.nationkey
      AND s.nationkey = n.nationkey AND n.regionkey = r.regionkey AND r.name = 'ASIA'
      AND o.orderdate >= DATE('1994-01-01') AND o.orderdate < DATE('1995-01-01')
    GROUP BY n.name;
CREATE VIEW q6 AS
    SELECT SUM(l.extendedprice * l.discount) AS revenue FROM lineitem l
    WHERE l.shipdate >= DATE('1994-01-01') AND l.shipdate < DATE('1995-01-01')
      AND l.discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l.quantity < 24;
CREATE VIEW q7 AS
    SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue
    FROM (SELECT n1.name AS supp_nation, n2.name AS cust_nation, EXTRACT(year FROM l.shipdate) AS l_year,
                 l.extendedprice * (1 - l.discount) AS volume
          FROM supplier s, lineitem l, orders o, customer c, nation n1, nation n2
          WHERE s.suppkey = l.suppkey AND o.orderkey = l.orderkey AND c.custkey = o.custkey
            AND s.nationkey = n1.nationkey AND c.nationkey = n2.nationkey
            AND ((n1.name = 'FRANCE' AND n2.name = 'GERMANY') OR (n1.name = 'GERMANY' AND n2.name = 'FRANCE'))
            AND l.shipdate BETWEEN DATE('1995-01-01') AND DATE('1996-12-31')) AS shipping
    GROUP BY supp_nation, cust_nation, l_year;
CREATE VIEW q8 AS
    SELECT total.o_year,
           SUM(CASE total.name WHEN 'BRAZIL' THEN total.volume ELSE 0 END) / LISTMAX(1, SUM(total.volume)) AS mkt_share
    FROM (SELECT n2.name, EXTRACT(year FROM o.orderdate) AS o_year, l.extendedprice * (1 - l.discount) AS volume
          FROM part p, supplier s, lineitem l, orders o, customer c, nation n1, nation n2, region r
          WHERE p.partkey = l.partkey AND s.suppkey = l.suppkey AND l.orderkey = o.orderkey AND o.custkey = c.custkey
            AND c.nationkey = n1.nationkey AND n1.regionkey = r.regionkey AND r.name = 'AMERICA'
            AND s.nationkey = n2.nationkey AND o.orderdate BETWEEN DATE('1995-01-01') AND DATE('1996-12-31')
            AND p.type = 'ECONOMY ANODIZED STEEL') total
    GROUP BY total.o_year;
CREATE VIEW q9 AS
    SELECT nation, o_year, SUM(amount) AS sum_profit
    FROM (SELECT n.name AS nation, EXTRACT(year FROM o.orderdate) AS o_year,
                 l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity AS amount
          FROM part p, supplier s, lineitem l, partsupp ps, orders o, nation n
          WHERE s.suppkey = l.suppkey AND ps.suppkey = l.suppkey AND ps.partkey = l.partkey AND p.partkey = l.partkey
            AND o.orderkey = l.orderkey AND s.nationkey = n.nationkey AND p.name LIKE '%green%') AS profit
    GROUP BY nation, o_year;
CREATE VIEW q10 AS
    SELECT c.custkey, c.name AS customer_name, c.acctbal, n.name AS nation_name, c.address, c.phone, c.comment,
           SUM(l.extendedprice * (1 - l.discount)) AS revenue
    FROM customer c, orders o, lineitem l, nation n
    WHERE c.custkey = o.custkey AND l.orderkey = o.orderkey AND o.orderdate >= DATE('1993-10-01')
      AND o.orderdate < DATE('1994-01-01') AND l.returnflag = 'R' AND c.nationkey = n.nationkey
    GROUP BY c.custkey, c.name, c.acctbal, c.phone, n.name, c.address, c.comment;
CREATE VIEW q11 AS
    SELECT p.partkey, SUM(p.value) AS value
    FROM (SELECT ps.partkey, SUM(ps.supplycost * ps.availqty) AS value FROM partsupp ps, supplier s, nation n
          WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY' GROUP BY ps.partkey) p
    WHERE p.value > (
        SELECT SUM(ps.supplycost * ps.availqty) * 0.1 FROM partsupp ps, supplier s, nation n
        WHERE ps.suppkey = s.suppkey AND s.nationkey = n.nationkey AND n.name = 'GERMANY')
    GROUP BY p.partkey;
CREATE VIEW q12 AS
    SELECT l.shipmode, SUM(CASE WHEN o.orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS high_line_count,
           SUM(CASE WHEN o.orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END) AS low_line_count
    FROM orders o, lineitem l
    WHERE o.orderkey = l.orderkey AND l.shipmode IN ('MAIL', 'SHIP') AND l.commitdate < l.receiptdate
      AND l.shipdate < l.commitdate AND l.receiptdate >= DATE('1994-01-01') AND l.receiptdate < DATE('1995-01-01')
    GROUP BY l.shipmode;
CREATE VIEW q13 AS
    SELECT c_count, COUNT(*) AS custdist
    FROM (SELECT c.custkey AS c_custkey, COUNT(o.orderkey) AS c_count FROM customer c, orders o
          WHERE c.custkey = o.custkey AND o.comment NOT LIKE '%special%requests%' GROUP BY c.custkey) c_orders
    GROUP BY c_count;
CREATE VIEW q14 AS
    SELECT 100.00 * SUM(CASE WHEN p.type LIKE 'PROMO%' THEN l.extendedprice * (1 - l.discount) ELSE 0 END)
           / LISTMAX(1, SUM(l.extendedprice * (1 - l.discount))) AS promo_revenue
    FROM lineitem l, part p
    WHERE l.partkey = p.partkey AND l.shipdate >= DATE('1995-09-01') AND l.shipdate < DATE('1995-10-01');
CREATE VIEW q15 AS
    SELECT s.suppkey, s.name, s.address, s.phone, r1.total_revenue
    FROM supplier s,
         (SELECT l.suppkey AS supplier_no, SUM(l.extendedprice * (1 - l.discount)) AS total_revenue FROM lineitem l
          WHERE l.shipdate >= DATE('1996-01-01') AND l.shipdate < DATE('1996-04-01') GROUP BY l.suppkey) r1
    WHERE s.suppkey = r1.supplier_no
      AND NOT EXISTS (
          SELECT 1
          FROM (SELECT l.suppkey, SUM(l.extendedprice * (1 - l.discount)) AS total_revenue FROM lineitem l
                WHERE l.shipdate >= DATE('1996-01-01') AND l.shipdate < DATE('1996-04-01') GROUP BY l.suppkey) AS r2
          WHERE r2.total_revenue > r1.total_revenue);
CREATE VIEW q16 AS
    SELECT p.brand, p.type, p.size, COUNT(DISTINCT ps.suppkey) AS supplier_cnt FROM partsupp ps, part p
    WHERE p.partkey = ps.partkey AND p.brand <> 'Brand#45' AND p.type NOT LIKE 'MEDIUM POLISHED%'
      AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9)
      AND ps.suppkey NOT IN (SELECT s.suppkey FROM supplier s WHERE s.comment LIKE '%Customer%Complaints%')
    GROUP BY p.brand, p.type, p.size;
CREATE VIEW q17 AS
    SELECT SUM(l.extendedprice) / 7.0 AS avg_yearly FROM lineitem l, part p
    WHERE p.partkey = l.partkey AND p.brand = 'Brand#23' AND p.container = 'MED BOX'
      AND l.quantity < (SELECT 0.2 * AVG(l2.quantity) FROM lineitem l2 WHERE l2.partkey = p.partkey);
CREATE VIEW q18 AS
    SELECT c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, SUM(l.quantity) AS quantity
    FROM customer c, orders o, lineitem l
    WHERE o.orderkey IN (
        SELECT l3.orderkey FROM (SELECT l2.orderkey, SUM(l2.quantity) AS qty FROM lineitem l2 GROUP BY l2.orderkey) l3
        WHERE qty > 60)
      AND c.custkey = o.custkey AND o.orderkey = l.orderkey
    GROUP BY c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice;
CREATE VIEW q19 AS
    SELECT SUM(l.extendedprice * (1 - l.discount)) AS revenue FROM lineitem l, part p
    WHERE (p.partkey = l.partkey AND p.brand = 'Brand#12' AND p.container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
           AND l.quantity >= 1 AND l.quantity <= 1 + 10 AND p.size BETWEEN 1 AND 5
           AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON')
       OR (p.partkey = l.partkey AND p.brand = 'Brand#23' AND p.container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
           AND l.quantity >= 10 AND l.quantity <= 10 + 10 AND p.size BETWEEN 1 AND 10
           AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON')
       OR (p.partkey = l.partkey AND p.brand = 'Brand#34' AND p.container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
           AND l.quantity >= 20 AND l.quantity <= 20 + 10 AND p.size BETWEEN 1 AND 15
           AND l.shipmode IN ('AIR', 'AIR REG') AND l.shipinstruct = 'DELIVER IN PERSON');
CREATE VIEW q20 AS
    SELECT s.name, s.address FROM supplier s, nation n
    WHERE s.suppkey IN (
        SELECT ps.suppkey FROM partsupp ps
        WHERE ps.partkey IN (SELECT p.partkey FROM part p WHERE p.name LIKE 'forest%')
          AND ps.availqty > (
              SELECT 0.5 * SUM(l.quantity) FROM lineitem l
              WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey AND l.shipdate >= DATE('1994-01-01')
                AND l.shipdate < DATE('1995-01-01')))
      AND s.nationkey = n.nationkey AND n.name = 'CANADA';
CREATE VIEW q21 AS
    SELECT s.name, COUNT(*) AS numwait FROM supplier s, lineitem l1, orders o, nation n
    WHERE s.suppkey = l1.suppkey AND o.orderkey = l1.orderkey AND o.orderstatus = 'F' AND l1.receiptdate > l1.commitdate
      AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.orderkey = l1.orderkey AND l2.suppkey <> l1.suppkey)
      AND NOT EXISTS (
          SELECT * FROM lineitem l3
          WHERE l3.orderkey = l1.orderkey AND l3.suppkey <> l1.suppkey AND l3.receiptdate > l3.commitdate)
      AND s.nationkey = n.nationkey AND n.name = 'SAUDI ARABIA'
    GROUP BY s.name;
CREATE VIEW q22 AS
    SELECT cntrycode, COUNT(*) AS numcust, SUM(custsale.acctbal) AS totalacctbal
    FROM (SELECT SUBSTRING(c.phone, 1, 2) AS cntrycode, c.acctbal FROM customer c
          WHERE SUBSTRING(c.phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
            AND c.acctbal > (
                SELECT AVG(c2.acctbal) FROM customer c2
                WHERE c2.acctbal > 0.00 AND SUBSTRING(c2.phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
            AND NOT EXISTS (SELECT * FROM orders o WHERE o.custkey = c.custkey)) custsale
    GROUP BY cntrycode;
