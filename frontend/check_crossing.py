"""Is the crossing of a derived relation legal?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toastergen.errors import M3Error
from toastergen.frontend.m3 import Relation, View
from toastergen.frontend.scalar import Compare, Var, column_type, type_of, variables

ORDERED: Final = ("int", "long", "double", "decimal", "date", "timestamp")
_SIDES: Final = ("<", "<=", ">", ">=")


def check_crossing(relation: Relation, views: Mapping[str, View]) -> None:
    """Two queries feed it, keys with weights and a threshold; its columns are the ends of intervals of keys."""
    crossing = relation.crossing
    if crossing is None:
        return
    where = f"derived relation {relation.name}"
    feeds = [views[name] for name in relation.queries if name in views]
    if len(feeds) != 2 or [len(feed.outputs) for feed in feeds] != [2, 1] or relation.end or relation.window:
        message = f"{where}: a running sum reads a query of keys and weights and one of a threshold"
        raise M3Error(message, hint="write FROM QUERY (weights, threshold) RUNNING > WHERE {…}")
    (key, weight), (threshold,) = (tuple(output.value for output in feed.outputs) for feed in feeds)
    keyed = column_type(key)
    if keyed.nullable or keyed.kind not in ORDERED or feeds[0].shape != "groups":
        raise M3Error(f"{where}: query {feeds[0].name} has no keys in order", hint="group it by a number or a date")
    if column_type(weight).nullable or type_of(weight).kind not in ("long", "double", "decimal"):
        raise M3Error(f"{where}: the weights of {feeds[0].name} cannot be added up", hint="sum or count something")
    if [column.type for column in relation.columns] != [keyed.or_null()] * 2:
        message = f"{where}: its columns are not two ends of an interval"
        raise M3Error(message, hint=f"declare both as {keyed.or_null()}")
    names = {Var("running", type_of(weight)), Var("threshold", column_type(threshold))}
    test = crossing.test
    if crossing.side not in _SIDES or not isinstance(test, Compare) or test.op not in _SIDES:
        raise M3Error(f"{where}: RUNNING needs comparisons", hint="compare by <, <=, > or >=")
    if variables(test) != names or len(variables(test.left)) != 1 or len(variables(test.right)) != 1:
        message = f"{where}: the test does not compare running with threshold"
        raise M3Error(message, hint=f"write running::{type_of(weight)} on one side, threshold on the other")
