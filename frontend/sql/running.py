"""Thresholds on running sums.

    WHERE t > (SELECT SUM(w) FROM r WHERE r.k > p)        p: of the row, t: the same for all rows

The sum depends on the row through p alone, and changes only where p passes a key. So the condition holds in intervals
of p, whose ends are keys, and while no weight is negative in one interval. A derived relation holds these (see
``m3.Crossing``), and the condition becomes one on p: is it between the ends? Finding the interval takes a path through
the keys; the sum of every single row need not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from toastergen.frontend import scalar as sc
from toastergen.frontend.check_crossing import ORDERED
from toastergen.frontend.m3 import Crossing
from toastergen.frontend.scalar import Compare, Or, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage
from toastergen.frontend.sql.context import VALUE
from toastergen.frontend.sql.expressions import Translator
from toastergen.frontend.sql.nested import Nested
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import LONG, sum_type

_OPERATORS: Final[dict[type[exp.Expr], str]] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class _Running:
    """A subquery that adds up weights by key on one side of a value of the row around it."""

    weights: Block
    side: str
    value: Scalar
    counts: bool


def read_running(node: exp.Expr, at: Translator, nested: Nested) -> tuple[Scalar, ...] | None:
    """A conjunct as conditions on an interval, or None if it is none of these thresholds."""
    context, stage = nested.context, nested.stage
    whole = node.unnest()
    op = _OPERATORS.get(type(whole))
    if op is None:
        return None
    sides = [whole.this, whole.expression]
    asked = [_may_run(side.unnest()) for side in sides]
    if asked.count(True) != 1:
        return None
    place = asked.index(True)
    subquery = sides[place].unnest()
    found = _running(context.resolve(subquery, context, VALUE, nested.around(at, subquery)))
    if found is None:
        return None
    threshold = _threshold(sides[1 - place], at, stage)
    if threshold is None:
        return None
    test = sc.compare(op if place else _MIRRORED[op], *_tested(threshold, found.weights))
    if not isinstance(test, Compare):
        return None
    crossing = Crossing(found.side, test, found.counts)
    relation = context.workspace.derive_crossing(found.weights, threshold, crossing)
    low, high = stage.attach(relation, ())
    ends = (">=", "<") if crossing.takes_low else (">", "<=")
    return tuple(
        Or((sc.IsNull(end), sc.compare(sign, found.value, end))) for sign, end in zip(ends, (low, high), strict=True)
    )


def _may_run(node: exp.Expr) -> bool:
    """Does it look like one aggregate over rows on one side of something? Reading a subquery for nothing is dear."""
    select = node.this if isinstance(node, exp.Subquery) else node
    if not isinstance(select, exp.Select) or len(select.expressions) != 1 or select.args.get("group"):
        return False
    where = select.args.get("where")
    return (
        isinstance(select.expressions[0].unalias().unnest(), exp.Sum | exp.Count)
        and where is not None
        and where.find(*_OPERATORS) is not None
    )


def _tested(threshold: Block, weights: Block) -> tuple[Var, Var]:
    limit, weight = threshold.items[0].value, weights.items[1].value
    return Var("threshold", sc.column_type(limit)), Var("running", sc.type_of(weight))


def _threshold(node: exp.Expr, at: Translator, stage: Stage) -> Block | None:
    """The other side, if it is the same for all rows: then what it reads is read apart."""
    known = len(stage.inputs), len(stage.where)
    value = at.scalar(node)
    inputs, ties = tuple(stage.inputs[known[0] :]), stage.where[known[1] :]
    del stage.inputs[known[0] :], stage.where[known[1] :]
    own = {var for item in inputs for var in item.vars}
    if ties or not sc.variables(value) or not sc.variables(value) <= own or not sc.type_of(value).is_numeric:
        return None
    return Block(inputs, (), None, (), (Item("threshold", value),))


def _running(block: Block) -> _Running | None:
    if block.group_by != () or block.ties or len(block.free) != 1 or len(block.aggregates) != 1:
        return None
    (aggregate,) = block.aggregates
    ((var, outside),) = block.free
    if aggregate.kind not in ("sum", "count") or block.items[0].value != aggregate.var:
        return None
    argument = aggregate.argument
    tests = [term for term in block.where if var in sc.variables(term)]
    if len(tests) != 1 or (argument is not None and var in sc.variables(argument)):
        return None
    compared = _compared(tests[0], var)
    if compared is None:
        return None
    key, side, inner = compared
    counts = aggregate.kind == "count"
    value = sc.substitute(inner, {var: outside})
    if counts and sc.is_nullable(value):
        return None  # nothing is counted beside NULL, and that is 0: no interval holds NULL
    where = tuple(term for term in block.where if term is not tests[0])
    return _Running(_weights(block, where, key, argument, counts), side, value, counts)


def _compared(test: Scalar, var: Var) -> tuple[Scalar, str, Scalar] | None:
    """``key side value``: the key belongs to the subquery, the value to the row around it."""
    if not isinstance(test, Compare) or test.op not in _MIRRORED:
        return None
    for key, op, value in ((test.left, test.op, test.right), (test.right, _MIRRORED[test.op], test.left)):
        if sc.variables(value) == {var} and sc.variables(key) and var not in sc.variables(key):
            return (key, op, value) if sc.type_of(key).kind in ORDERED else None
    return None


def _weights(block: Block, where: tuple[Scalar, ...], key: Scalar, argument: Scalar | None, counts: bool) -> Block:
    """What has no key is never added up, and no aggregate looks at NULL."""
    looked_at = (key, *(() if argument is None else (argument,)))
    present = tuple(sc.Not(sc.IsNull(item)) for item in looked_at if sc.is_nullable(item))
    if counts or argument is None:
        weight = Aggregate("count", None, Var("count", LONG))
    else:
        weight = Aggregate("sum", sc.known(argument), Var("weight", sum_type(sc.type_of(argument))))
    items = (Item("key", sc.known(key)), Item("weight", weight.var))
    return Block(block.inputs, (*where, *present), (sc.known(key),), (weight,), items)
