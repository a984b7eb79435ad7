"""The benchmark's queries: the shapes of TPC-H Q1, Q3 and Q6, without ORDER BY and LIMIT."""

from __future__ import annotations

from dataclasses import dataclass

CUSTOMER = """CREATE STREAM customer (c_custkey INT, c_name VARCHAR(25), c_address VARCHAR(40), c_nationkey INT,
    c_phone CHAR(15), c_acctbal DECIMAL(15,2), c_mktsegment CHAR(10), c_comment VARCHAR(117));
"""
ORDERS = """CREATE STREAM orders (o_orderkey INT, o_custkey INT, o_orderstatus CHAR(1), o_totalprice DECIMAL(15,2),
    o_orderdate DATE, o_orderpriority CHAR(15), o_clerk CHAR(15), o_shippriority INT, o_comment VARCHAR(79));
"""
LINEITEM = """CREATE STREAM lineitem (l_orderkey INT, l_partkey INT, l_suppkey INT, l_linenumber INT,
    l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), l_tax DECIMAL(15,2),
    l_returnflag CHAR(1), l_linestatus CHAR(1), l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE,
    l_shipinstruct CHAR(25), l_shipmode CHAR(10), l_comment VARCHAR(44));
"""


@dataclass(frozen=True, slots=True)
class Query:
    """``relations`` in the order in which their rows take turns."""

    name: str
    declarations: str
    select: str
    relations: tuple[str, ...]

    @property
    def script(self) -> str:
        return f"{self.declarations}CREATE VIEW {self.name} AS {self.select};\n"


Q1 = Query(
    "q1",
    LINEITEM,
    """SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base_price,
    SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
    SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
    AVG(l_quantity) AS avg_qty, AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus""",
    ("lineitem",),
)
Q3 = Query(
    "q3",
    CUSTOMER + ORDERS + LINEITEM,
    """SELECT o_orderkey, o_orderdate, o_shippriority, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
    AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY o_orderkey, o_orderdate, o_shippriority""",
    ("customer", "orders", "lineitem"),
)
Q6 = Query(
    "q6",
    LINEITEM,
    """SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
    AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    ("lineitem",),
)
QUERIES = (Q1, Q3, Q6)
