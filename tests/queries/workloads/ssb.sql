-- The Star Schema Benchmark: 13 queries in four flights over one fact table and four dimensions.
CREATE STREAM lineorder (
    lo_orderkey INT, lo_linenumber INT, lo_custkey INT, lo_partkey INT, lo_suppkey INT, lo_orderdate INT, lo_quantity INT,
    lo_extendedprice INT, lo_discount INT, lo_revenue INT, lo_supplycost INT, PRIMARY KEY (lo_orderkey, lo_linenumber));
CREATE STREAM customer (
    c_custkey INT PRIMARY KEY, c_city CHAR(10), c_nation CHAR(15), c_region CHAR(12));
CREATE STREAM supplier (
    s_suppkey INT PRIMARY KEY, s_city CHAR(10), s_nation CHAR(15), s_region CHAR(12));
CREATE STREAM part (p_partkey INT PRIMARY KEY, p_mfgr CHAR(6), p_category CHAR(7), p_brand1 CHAR(9));
CREATE TABLE date (
    d_datekey INT PRIMARY KEY, d_year INT, d_yearmonthnum INT, d_yearmonth CHAR(7), d_weeknuminyear INT);

CREATE VIEW q1_1 AS
    SELECT SUM(lo_extendedprice * lo_discount) AS revenue
    FROM lineorder, date
    WHERE lo_orderdate = d_datekey AND d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25;
CREATE VIEW q1_2 AS
    SELECT SUM(lo_extendedprice * lo_discount) AS revenue
    FROM lineorder, date
    WHERE lo_orderdate = d_datekey AND d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6
      AND lo_quantity BETWEEN 26 AND 35;
CREATE VIEW q1_3 AS
    SELECT SUM(lo_extendedprice * lo_discount) AS revenue
    FROM lineorder, date
    WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7
      AND lo_quantity BETWEEN 26 AND 35;

CREATE VIEW q2_1 AS
    SELECT SUM(lo_revenue), d_year, p_brand1
    FROM lineorder, date, part, supplier
    WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey AND p_category = 'MFGR#12'
      AND s_region = 'AMERICA'
    GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;
CREATE VIEW q2_2 AS
    SELECT SUM(lo_revenue), d_year, p_brand1
    FROM lineorder, date, part, supplier
    WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
      AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'
    GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;
CREATE VIEW q2_3 AS
    SELECT SUM(lo_revenue), d_year, p_brand1
    FROM lineorder, date, part, supplier
    WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey AND p_brand1 = 'MFGR#2221'
      AND s_region = 'EUROPE'
    GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

CREATE VIEW q3_1 AS
    SELECT c_nation, s_nation, d_year, SUM(lo_revenue) AS revenue
    FROM customer, lineorder, supplier, date
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND c_region = 'ASIA'
      AND s_region = 'ASIA' AND d_year >= 1992 AND d_year <= 1997
    GROUP BY c_nation, s_nation, d_year ORDER BY d_year ASC, revenue DESC;
CREATE VIEW q3_2 AS
    SELECT c_city, s_city, d_year, SUM(lo_revenue) AS revenue
    FROM customer, lineorder, supplier, date
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND c_nation = 'UNITED STATES'
      AND s_nation = 'UNITED STATES' AND d_year >= 1992 AND d_year <= 1997
    GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC;
CREATE VIEW q3_3 AS
    SELECT c_city, s_city, d_year, SUM(lo_revenue) AS revenue
    FROM customer, lineorder, supplier, date
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
      AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
      AND d_year >= 1992 AND d_year <= 1997
    GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC;
CREATE VIEW q3_4 AS
    SELECT c_city, s_city, d_year, SUM(lo_revenue) AS revenue
    FROM customer, lineorder, supplier, date
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
      AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5') AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5')
      AND d_yearmonth = 'Dec1997'
    GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC;

CREATE VIEW q4_1 AS
    SELECT d_year, c_nation, SUM(lo_revenue - lo_supplycost) AS profit
    FROM date, customer, supplier, part, lineorder
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
      AND c_region = 'AMERICA' AND s_region = 'AMERICA' AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
    GROUP BY d_year, c_nation ORDER BY d_year, c_nation;
CREATE VIEW q4_2 AS
    SELECT d_year, s_nation, p_category, SUM(lo_revenue - lo_supplycost) AS profit
    FROM date, customer, supplier, part, lineorder
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
      AND c_region = 'AMERICA' AND s_region = 'AMERICA' AND (d_year = 1997 OR d_year = 1998)
      AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')
    GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category;
CREATE VIEW q4_3 AS
    SELECT d_year, s_city, p_brand1, SUM(lo_revenue - lo_supplycost) AS profit
    FROM date, customer, supplier, part, lineorder
    WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
      AND c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND (d_year = 1997 OR d_year = 1998)
      AND p_category = 'MFGR#14'
    GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1;
