"""A day of an order book for order_book.sql: the same seed gives the same bytes.

    python examples/generate_orders.py [--messages 100000] [--seed 1] [--output .demo/orders.csv]

Prices walk at random; bids stand below the walk and asks above it. Orders are entered, executed or cancelled in
part, filled or deleted, so that about ``--open`` of them are open at any time.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

OPENING = 34_200.0  # half past nine, in seconds
FIRST_PRICE = 250_000  # in hundredths of a cent


def messages(seed: int, count: int, most_open: int) -> Iterator[str]:
    """Lines ``t,id,action,volume,price``."""
    chance = random.Random(seed)
    time, middle = OPENING, FIRST_PRICE
    open_orders: list[list[int]] = []  # id, volume, price
    for number in range(count):
        time += chance.expovariate(100.0)
        middle = max(1_000, middle + chance.randint(-50, 50))
        if chance.random() < 0.02:
            yield f"{time:.3f},{number},{chance.choice('XT')},{chance.randint(1, 9)}00,{middle}\n"
        elif not open_orders or chance.random() * 2 * most_open > len(open_orders):
            is_bid, away = chance.random() < 0.5, 100 * chance.randint(1, 40)
            order = [number, 100 * chance.randint(1, 20), middle - away if is_bid else middle + away]
            open_orders.append(order)
            yield f"{time:.3f},{number},{'B' if is_bid else 'S'},{order[1]},{order[2]}\n"
        else:
            yield change(chance, time, open_orders)


def change(chance: random.Random, time: float, open_orders: list[list[int]]) -> str:
    place = chance.randrange(len(open_orders))
    number, volume, price = open_orders[place]
    if volume > 100 and chance.random() < 0.3:
        taken = 100 * chance.randint(1, volume // 100 - 1)
        open_orders[place][1] -= taken
        return f"{time:.3f},{number},{chance.choice('EC')},{taken},{price}\n"
    open_orders[place] = open_orders[-1]
    open_orders.pop()
    return f"{time:.3f},{number},{chance.choice('FD')},{volume},{price}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate the messages of order_book.sql.")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--open", type=int, default=1_000, help="about how many orders are open at a time")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent.parent / ".demo" / "orders.csv")
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with options.output.open("w", encoding="utf-8", newline="") as file:
        file.writelines(messages(options.seed, options.messages, options.open))


if __name__ == "__main__":
    main()
