"""Rows for the workloads: keys that meet, and the values that their conditions ask for.

A relation is described by the groups of columns that belong together; a row takes one choice from each group. Keys come
from small ranges, so that joins of many relations meet; ``scale`` widens the ranges and the number of rows.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]
Group = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Draw:
    """``rows`` is how many rows there are at once, about; ``groups`` what they are made of."""

    rows: int
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Data:
    """``fixed`` are the rows of tables that are loaded first and stay."""

    drawn: Mapping[str, Draw]
    fixed: Mapping[str, Group] = field(default_factory=dict)


def each(*values: Any) -> Group:
    return [(value,) for value in values]


def keys(count: int) -> Group:
    return each(*range(1, count + 1))


def money(*values: str) -> Group:
    return each(*map(Decimal, values))


def days(*values: str) -> Group:
    return each(*map(datetime.date.fromisoformat, values))


def together(*groups: Group) -> Group:
    """Several groups side by side: the first choice of each, the second of each …"""
    return [sum(rows, ()) for rows in zip(*groups, strict=True)]


def named(stem: str, count: int) -> Group:
    """A key and a name made of it."""
    return [(key, f"{stem}#{key:03d}") for key in range(1, count + 1)]


# --- TPC-H ------------------------------------------------------------------------------------------------

NATIONS = [
    (1, "FRANCE", 1, ""), (2, "GERMANY", 1, ""), (3, "BRAZIL", 2, ""), (4, "CANADA", 2, ""), (5, "INDIA", 3, ""),
    (6, "SAUDI ARABIA", 4, ""), (7, "CHINA", 3, ""), (8, "KENYA", 5, ""),
]  # fmt: skip
REGIONS = [(1, "EUROPE", ""), (2, "AMERICA", ""), (3, "ASIA", ""), (4, "MIDDLE EAST", ""), (5, "AFRICA", "")]

# Manufacturer, brand, type, size, container.
PARTS = [
    ("Manufacturer#1", "Brand#12", "PROMO BURNISHED COPPER", 3, "SM CASE"),
    ("Manufacturer#2", "Brand#23", "ECONOMY ANODIZED STEEL", 9, "MED BOX"),
    ("Manufacturer#3", "Brand#34", "LARGE BRUSHED BRASS", 15, "LG BOX"),
    ("Manufacturer#4", "Brand#45", "MEDIUM POLISHED STEEL", 14, "SM PKG"),
    ("Manufacturer#2", "Brand#23", "ECONOMY ANODIZED STEEL", 14, "MED BOX"),
]  # fmt: skip

# Days of shipping, commitment and receipt.
SHIPPING = together(
    days("1994-03-01", "1994-06-10", "1995-09-10", "1995-09-20", "1996-02-01", "1996-03-15", "1998-11-01"),
    days("1994-04-01", "1994-07-01", "1995-10-01", "1995-10-30", "1996-01-20", "1996-04-01", "1998-11-05"),
    days("1994-05-01", "1994-06-20", "1995-10-20", "1995-10-01", "1996-02-20", "1996-03-20", "1998-12-01"),
)
ORDERED = days(
    "1993-07-15", "1993-08-20", "1993-11-05", "1994-02-10", "1994-06-01", "1995-03-01", "1995-06-17", "1996-05-05"
)
PHONES = each("13-555", "31-555", "23-555", "29-555", "11-555", "30-555")


def tpch(scale: int) -> Data:
    parts, suppliers, customers, orders = 4 * scale, 4 * scale, 4 * scale, 7 * scale
    # As in the benchmark a part has a few suppliers, and lines name one of them.
    pairs = [(part, (part + turn) % suppliers + 1) for part in range(1, parts + 1) for turn in range(3)]
    words = each("quick", "special packages and requests", "")
    balances = money("-50.00", "0.00", "10.50", "120.25", "999.99", "4000.00")
    names = each("forest green", "forest blush", "lime green", "misty rose")
    supplied = (pairs, each(1, 5, 20, 100), money("1.00", "2.50", "9.99"), words)
    lines = (
        keys(orders), pairs, keys(6),
        money("1", "2", "5", "11", "20", "23", "30", "45"), money("100.00", "900.10", "55.55", "2000.00"),
        money("0.00", "0.05", "0.06", "0.07", "0.10"), money("0.00", "0.04", "0.08"), each("R", "A", "N"),
        each("O", "F"),
        SHIPPING, each("DELIVER IN PERSON", "NONE"), each("AIR", "AIR REG", "MAIL", "SHIP"), each(""),
    )  # fmt: skip
    drawn = {
        "part": Draw(parts, (keys(parts), names, PARTS, money("10.00", "20.00"), each(""))),
        "supplier": Draw(
            suppliers,
            (named("Supplier", suppliers), each("here", "there"), each(1, 2, 3, 4, 5, 6), PHONES, balances,
             each("", "Customer stated Complaints", "Customer Recommends")),
        ),
        "partsupp": Draw(9 * scale, supplied),
        "customer": Draw(
            customers,
            (named("Customer", customers), each("here"), each(1, 2, 3, 3, 5, 5, 8), PHONES, balances,
             each("BUILDING", "MACHINERY"), words),
        ),
        "orders": Draw(
            orders,
            (keys(orders), keys(customers), each("F", "F", "O"), money("100.00", "555.00", "900.00"), ORDERED,
             each("1-URGENT", "2-HIGH", "5-LOW"), each("Clerk#1"), each(0, 1), words),
        ),
        "lineitem": Draw(32 * scale, lines),
    }  # fmt: skip
    return Data(drawn, {"nation": NATIONS, "region": REGIONS})


def tpch_streamed(scale: int) -> Data:
    """The same with nations and regions that come and go, now and then twice: nothing declares a key there."""
    data = tpch(scale)
    dimensions = {"nation": Draw(10, (NATIONS,)), "region": Draw(6, (REGIONS,))}
    return Data({**data.drawn, **dimensions})


# --- order books ------------------------------------------------------------------------------------------


def finance(scale: int) -> Data:
    """All values are sums of powers of two, so that no order of adding makes a difference to a comparison."""
    volumes = each(0.0078125, 1.0, 5.0, 10.0, 20.0, 100.0, 250.5)
    prices = each(10.0, 10.25, 99.5, 100.0, 100.5, 1100.0, 1500.75, 2500.0)
    orders = (each(*map(float, range(1, 12 * scale))), keys(30 * scale), keys(3 + scale), volumes, prices)
    return Data({"bids": Draw(14 * scale, orders), "asks": Draw(14 * scale, orders)})


# --- TPC-DS -----------------------------------------------------------------------------------------------

DAYS = [
    (1, 1999, 11, 1, 1, "Monday"), (2, 1999, 11, 2, 6, "Saturday"), (3, 2000, 11, 1, 0, "Sunday"),
    (4, 2000, 11, 26, 1, "Monday"), (5, 2000, 3, 2, 6, "Saturday"), (6, 2001, 11, 3, 2, "Tuesday"),
    (7, 2001, 12, 1, 3, "Wednesday"), (8, 2000, 12, 15, 4, "Thursday"), (9, 2000, 1, 27, 5, "Friday"),
]  # fmt: skip
PEOPLE = [(1, "M", "S", "College"), (2, "M", "S", "College"), (3, "F", "M", "Primary"), (4, "M", "D", "College")]
HOUSEHOLDS = [
    (1, ">10000", 4, 1), (2, "Unknown", 6, 3), (3, "Unknown", 5, 2), (4, "0-500", 4, 0), (5, ">10000", 2, 3),
]  # fmt: skip


def optional(group: Group) -> Group:
    """One in eight is NULL."""
    return [*(list(group) * 8)[: max(len(group), 7)], tuple(None for _ in group[0])]


def tpcds(scale: int) -> Data:
    items, customers, addresses, stores, promotions = 6 * scale, 5 * scale, 5 * scale, 3 * scale, 3 * scale
    amounts = optional(money("1.00", "12.50", "99.99", "-7.25", "0.00"))
    sales = (
        optional(keys(len(DAYS))), keys(items), optional(keys(customers)), optional(keys(len(PEOPLE))),
        optional(keys(len(HOUSEHOLDS))), optional(keys(addresses)), optional(keys(stores)), optional(keys(promotions)),
        keys(6 * scale), optional(each(1, 7, 20)), *(amounts for _ in range(7)),
    )  # fmt: skip
    brands = [(1, "amalg"), (2, "edu pack"), (None, None)]
    kinds = [(1, "Music"), (2, "Books"), (2, None)]
    drawn = {
        "store_sales": Draw(30 * scale, sales),
        "item": Draw(
            items,
            (named("Item", items), brands, kinds, [(128, "anti"), (128, "bar"), (7, "cally")],
             each(1, 8, 28, 1, 8, 28, None)),
        ),
        "customer": Draw(
            customers,
            (keys(customers), optional(keys(addresses)), each("Dr.", "Ms.", None), each("Ada", "Bo", None),
             each("Lee", "Nu", "Ok", None), each("Y", "N", None)),
        ),
        "customer_address": Draw(
            addresses,
            (keys(addresses), each("Midway", "Oak Grove", "Fairview", None), each("12345-6", "12399", "54321")),
        ),
        "store": Draw(
            stores,
            (named("Store", stores), each("able", "ought", None), each(200, 250, 295, 300), each("Midway", "Fairview"),
             each("Williamson County", "Walker County"), each("TN", "GA", "NY", None), each("12345", "99999"),
             money("-5.00", "-5.00", "-6.00")),
        ),
        "promotion": Draw(promotions, (keys(promotions), each("N", "Y", None), each("N", "Y"))),
    }  # fmt: skip
    fixed = {"date_dim": DAYS, "customer_demographics": PEOPLE, "household_demographics": HOUSEHOLDS}
    return Data(drawn, fixed)


# --- the star schema benchmark ------------------------------------------------------------------------------

DATES = [
    (19930105, 1993, 199301, "Jan1993", 1), (19940103, 1994, 199401, "Jan1994", 1),
    (19940208, 1994, 199402, "Feb1994", 6), (19971201, 1997, 199712, "Dec1997", 49),
    (19971215, 1997, 199712, "Dec1997", 51), (19980301, 1998, 199803, "Mar1998", 9),
]  # fmt: skip
CITIES = [
    ("UNITED ST1", "UNITED STATES", "AMERICA"), ("UNITED ST5", "UNITED STATES", "AMERICA"),
    ("BRAZIL   2", "BRAZIL", "AMERICA"), ("UNITED KI1", "UNITED KINGDOM", "EUROPE"),
    ("UNITED KI5", "UNITED KINGDOM", "EUROPE"), ("CHINA    3", "CHINA", "ASIA"), ("INDIA    0", "INDIA", "ASIA"),
]  # fmt: skip
BRANDS = [
    ("MFGR#1", "MFGR#12", "MFGR#1221"), ("MFGR#1", "MFGR#14", "MFGR#1401"), ("MFGR#2", "MFGR#22", "MFGR#2221"),
    ("MFGR#2", "MFGR#22", "MFGR#2225"),
]  # fmt: skip


def ssb(scale: int) -> Data:
    customers, suppliers, parts = 6 * scale, 6 * scale, 4 * scale
    lines = (
        keys(20 * scale), keys(3), keys(customers), keys(parts), keys(suppliers), each(*(day[0] for day in DATES)),
        each(1, 10, 24, 26, 30, 35, 50), each(100, 999, 5000), each(1, 2, 3, 4, 5, 6, 7), each(80, 700, 4100),
        each(10, 60, 999),
    )  # fmt: skip
    drawn = {
        "lineorder": Draw(45 * scale, lines),
        "customer": Draw(customers, (keys(customers), CITIES)),
        "supplier": Draw(suppliers, (keys(suppliers), CITIES)),
        "part": Draw(parts, (keys(parts), BRANDS)),
    }
    return Data(drawn, {"date": DATES})


# --- graphs -------------------------------------------------------------------------------------------------


def graphs(scale: int) -> Data:
    users, tweets = keys(7 * scale), keys(12 * scale)
    dates = days("2015-01-01", "2015-06-30")
    drawn = {
        "users": Draw(6 * scale, (users,)),
        "follower": Draw(12 * scale, (users, users)),
        "tweet": Draw(8 * scale, (users, tweets, dates)),
        "retweet": Draw(12 * scale, (users, tweets, dates, tweets)),
    }
    return Data(drawn)


# --- films ------------------------------------------------------------------------------------------------


def job(scale: int) -> Data:
    """Facts meet at few films: every fact table has about two rows per film."""
    films, people, companies, words = keys(3 * scale), keys(3 * scale), keys(2 * scale), keys(2 * scale)
    kinds, roles, infos = keys(2), keys(2), keys(4)
    titles = each("Alien", "Brazil", "Cabaret", "Das Boot")
    drawn = {
        "title": Draw(3 * scale, (films, titles, kinds, each(1985, 1994, 2001, None))),
        "movie_companies": Draw(6 * scale, (films, companies, keys(2), each("(as Metro)", "(co-production)", None))),
        "movie_info": Draw(8 * scale, (films, infos, each("Drama", "Horror", "2001-05-05"))),
        "movie_info_idx": Draw(8 * scale, (films, each(2, 2, 4), each("1.9", "3.1", "8.4", "9.0"))),
        "movie_keyword": Draw(6 * scale, (films, words)),
        "movie_link": Draw(5 * scale, (films, films, keys(2))),
        "cast_info": Draw(
            7 * scale, (people, films, optional(people), roles, each("(voice)", "(uncredited)", "(archive)", None))
        ),
        "name": Draw(3 * scale, (people, each("Ann", "Bob", "Cid"), each("f", "f", "m", None))),
        "aka_name": Draw(4 * scale, (people, each("Annie", "Bobby"))),
        "char_name": Draw(3 * scale, (people, each("Hero", "Villain"))),
        "company_name": Draw(2 * scale, (companies, each("Acme", "Bavaria"), each("[us]", "[us]", "[de]", None))),
        "keyword": Draw(2 * scale, (words, each("sequel", "sequel", "space"))),
    }
    fixed = {
        "company_type": [(1, "production companies"), (2, "distributors")],
        "info_type": [(1, "release dates"), (2, "rating"), (3, "genres"), (4, "top 250 rank")],
        "kind_type": [(1, "movie"), (2, "episode")],
        "link_type": [(1, "follows"), (2, "remake of")],
        "role_type": [(1, "actress"), (2, "actor")],
    }
    return Data(drawn, fixed)


DATA: Mapping[str, Callable[[int], Data]] = {
    "tpch": tpch,
    "tpch_adapted": tpch_streamed,
    "finance": finance,
    "tpcds": tpcds,
    "ssb": ssb,
    "graphs": graphs,
    "job": job,
}
