"""Files for sales.sql: the same seed gives the same bytes.

    python examples/generate_sales.py [--orders 100000] [--seed 1] [--output .demo]
"""

from __future__ import annotations

import argparse
import datetime
import random
from collections.abc import Iterator
from pathlib import Path

CATEGORIES = ("bread", "coffee", "jam", "tea", "toasters")
REGIONS = ("east", "north", "south", "west")
PRODUCTS = 200
FIRST_DAY = datetime.date(2024, 1, 1)
DAYS = 366


def products(chance: random.Random) -> Iterator[str]:
    yield "product_id,product_name,category\n"
    for product in range(PRODUCTS):
        category = chance.choice(CATEGORIES)
        yield f'{product},"{category}, No. {product}",{category}\n'


def orders(chance: random.Random, count: int) -> Iterator[str]:
    days = [(FIRST_DAY + datetime.timedelta(days=day)).isoformat() for day in range(DAYS)]
    yield "order_id,region,ordered_on\n"
    for order in range(count):
        # Orders come in the order of their days, as in a real stream.
        yield f"{order},{chance.choice(REGIONS)},{days[order * DAYS // count]}\n"


def items(chance: random.Random, count: int) -> Iterator[str]:
    """One to four per order, in the order of the orders."""
    yield "order_id,product_id,quantity,price\n"
    for order in range(count):
        for _ in range(chance.randint(1, 4)):
            cents = chance.randint(99, 9999)
            product, quantity = chance.randrange(PRODUCTS), chance.randint(1, 5)
            yield f"{order},{product},{quantity},{cents // 100}.{cents % 100:02d}\n"


def write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate the files of sales.sql.")
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent.parent / ".demo")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    # A generator of random numbers per file: a change to one leaves the others as they are.
    write(options.output / "product.csv", products(random.Random(f"{options.seed} product")))
    write(options.output / "orders.csv", orders(random.Random(f"{options.seed} orders"), options.orders))
    write(options.output / "item.csv", items(random.Random(f"{options.seed} item"), options.orders))


if __name__ == "__main__":
    main()
