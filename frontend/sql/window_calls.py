"""What a window function says: the function with its arguments, and the partition, order and frame behind OVER."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from toastergen.errors import ResolveError, SqlTypeError, ToastergenError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import CURRENT, FOLLOWING, PRECEDING, RANGE, Bound, Frame
from toastergen.frontend.scalar import Arith, Case, Compare, Const, Scalar
from toastergen.frontend.sql.composed import BOOLEANS, VARIANCES, boolean, filtered, variance
from toastergen.frontend.sql.dates import read_interval
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.sql.windows import Ordering, Over, Windows
from toastergen.frontend.timestamps import MICROSECONDS
from toastergen.frontend.types import DATE, DOUBLE, LONG, TIMESTAMP, Type
from toastergen.frontend.windows import LARGEST, WHOLE, fault_of, offset_type, offset_units

_RANKS: Final[dict[type[exp.Expr], str]] = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank",
    exp.CumeDist: "cume_dist",
}
_NEIGHBOURS: Final[dict[type[exp.Expr], str]] = {exp.Lag: "lag", exp.Lead: "lead"}
_PLACES: Final[dict[type[exp.Expr], str]] = {exp.FirstValue: "first_value", exp.LastValue: "last_value"}
_PLAIN: Final[dict[type[exp.Expr], str]] = {exp.Sum: "sum", exp.Count: "count", exp.Min: "min", exp.Max: "max"}
_DEFAULT: Final = Frame(RANGE, Bound(PRECEDING), Bound(CURRENT))


@dataclass(frozen=True, slots=True)
class WindowReader:
    """``value`` reads an expression over the rows that the window is computed over; ``condition`` that of a FILTER."""

    select: exp.Select
    places: Places
    windows: Windows
    value: Callable[[exp.Expr], Scalar]
    condition: Callable[[exp.Expr], Scalar]

    def read(self, node: exp.Window) -> Scalar:
        over = self._over(node, ())
        function, condition = node.this, None
        if isinstance(function, exp.RespectNulls):
            function = function.this
        if isinstance(function, exp.IgnoreNulls):
            function = self._ignoring(function, node)
            over = replace(over, ignore_nulls=True)
        if isinstance(function, exp.Filter):
            check_arguments(function.expression, ("this",), self.places, "FILTER")
            condition = self.condition(function.expression.this)
            function = function.this
        return self._function(function, condition, over, node)

    def _function(self, node: exp.Expr, condition: Scalar | None, over: Over, whole: exp.Window) -> Scalar:
        kind = type(node)
        if kind in _PLAIN or isinstance(node, (exp.Avg, *BOOLEANS, *VARIANCES)):
            return self._aggregate(node, condition, over)
        if condition is not None:
            raise self._refused(whole, "FILTER of a function that is no aggregate", "use CASE in its argument")
        if kind in _RANKS:
            check_arguments(node, (), self.places, _RANKS[kind].upper())
            return self.windows.add(_RANKS[kind], (), None, over)
        if kind in _NEIGHBOURS:
            return self._neighbour(node, _NEIGHBOURS[kind], over)
        if kind in _PLACES:
            check_arguments(node, ("this",), self.places, _PLACES[kind].upper())
            return self.windows.add(_PLACES[kind], (self.value(node.this),), None, over)
        if isinstance(node, exp.NthValue):
            check_arguments(node, ("this", "offset"), self.places, "NTH_VALUE")
            place = self._number(node.args.get("offset"), node, "NTH_VALUE", 1)
            return self.windows.add("nth_value", (self.value(node.this),), place, over)
        if isinstance(node, exp.Ntile):
            check_arguments(node, ("this",), self.places, "NTILE")
            return self.windows.add("ntile", (), self._number(node.this, node, "NTILE", 1), over)
        raise self._unknown(node, whole)

    def _ignoring(self, node: exp.IgnoreNulls, whole: exp.Window) -> exp.Expr:
        function: exp.Expr = node.this
        zero = function.args.get("offset")
        if not isinstance(function, exp.Lag | exp.Lead | exp.FirstValue | exp.LastValue | exp.NthValue):
            raise self._refused(whole, "IGNORE NULLS of this function", "leave it out: aggregates pass over NULL")
        if isinstance(zero, exp.Literal) and zero.this == "0":
            raise self._refused(whole, "IGNORE NULLS with an offset of 0", "leave it out")
        return function

    def _unknown(self, node: exp.Expr, whole: exp.Window) -> ToastergenError:
        error = refuse(node, self.places)
        if isinstance(node, exp.Func):
            error.span = self.places.span(whole)
            error.hint = "window functions are listed in docs/sql.md"
        return error

    # --- functions ----------------------------------------------------------------------------------------

    def _neighbour(self, node: exp.Expr, function: str, over: Over) -> Scalar:
        word = function.upper()
        check_arguments(node, ("this", "offset", "default"), self.places, word)
        value = self.value(node.this)
        offset, default = node.args.get("offset"), node.args.get("default")
        steps = self._number(offset, node, word, -LARGEST + 1) if offset is not None else 1
        if steps < 0:
            function, steps = ("lead" if function == "lag" else "lag"), -steps
        arguments: tuple[Scalar, ...] = (value,)
        if default is not None:
            other = sc.typed_null(self.value(default), sc.type_of(value))
            if isinstance(other, Const) and other.value is None:
                return self.windows.add(function, arguments, steps, over)
            arguments = (value, self._like(value, other, default, word))
        return self.windows.add(function, arguments, steps, over)

    def _like(self, value: Scalar, other: Scalar, node: exp.Expr, word: str) -> Scalar:
        """The default in the type of the value."""
        wanted = sc.type_of(value)
        try:
            common = sc.type_of(sc.unify_types((value, other), word)[0])
            made = sc.cast(other, wanted)
        except sc.ScalarTypeError:
            common, made = None, other
        exact = isinstance(other, Const) and isinstance(made, Const) and made.value == other.value
        if common != wanted and not (common is not None and exact):
            raise SqlTypeError(
                f"the default of {word} is {sc.type_of(other)}, its value {wanted}",
                span=self.places.span(node),
                hint="give both one type, with CAST if need be",
            )
        return made

    def _aggregate(self, node: exp.Expr, condition: Scalar | None, over: Over) -> Scalar:
        word = type(node).__name__.upper()
        check_arguments(node, ("this", "big_int"), self.places, word)
        argument = node.this
        if isinstance(argument, exp.Distinct):
            raise self._refused(node, "DISTINCT in a window function", "select the different values in a subquery")
        if isinstance(node, exp.Count) and (argument is None or type(argument) is exp.Star):
            if condition is None:
                return self.windows.add("count", (), None, over)
            value: Scalar = sc.ONE
        else:
            value = self.value(argument)
        if condition is not None:
            value = filtered(value, condition)

        def of(kind: str, over_value: Scalar) -> Scalar:
            arguments = (over_value,) if kind != "count" or sc.is_nullable(over_value) else ()
            return self.windows.add(kind, arguments, None, over)

        if isinstance(node, BOOLEANS):
            return boolean(node, value, of)
        if isinstance(node, (exp.Sum, exp.Avg)) and not sc.type_of(value).is_numeric:
            raise SqlTypeError(
                f"{word} needs numbers, not {sc.type_of(value)}",
                span=self.places.span(node),
                hint="for a condition use COUNT(*) FILTER (WHERE …) OVER (…)",
            )
        if isinstance(node, VARIANCES):
            return variance(node, value, of)
        return of(_PLAIN[type(node)], value) if type(node) in _PLAIN else _average(of("sum", value), of("count", value))

    # --- OVER ---------------------------------------------------------------------------------------------

    def _over(self, node: exp.Window, known: tuple[str, ...]) -> Over:
        allowed = ("this", "partition_by", "order", "spec", "alias", "over")
        check_arguments(node, allowed, self.places, "a window")
        partition, order, frame = self._named(node, known)
        if node.args.get("partition_by"):
            if node.args.get("alias"):
                raise self._clash(node, "PARTITION BY")
            partition = tuple(map(self.value, node.args["partition_by"]))
        if node.args.get("order"):
            if order:
                raise self._clash(node, "ORDER BY")
            order = tuple(map(self._ordering, node.args["order"].expressions))
        partition = tuple(dict.fromkeys(value for value in partition if not isinstance(value, Const)))
        order = tuple(key for key in dict.fromkeys(order) if not isinstance(key.value, Const))
        spec = node.args.get("spec")
        if spec is not None:
            return Over(partition, order, self._frame(spec, node, order))
        return Over(partition, order, frame or (_DEFAULT if order else WHOLE))

    def _named(
        self, node: exp.Window, known: tuple[str, ...]
    ) -> tuple[tuple[Scalar, ...], tuple[Ordering, ...], Frame | None]:
        """What a window takes from the one it names."""
        alias = node.args.get("alias")
        if not alias:
            return (), (), None
        declared = {item.this.name.lower(): item for item in self.select.args.get("windows") or ()}
        name = alias.name.lower()
        if name not in declared or name in known:
            raise ResolveError(
                f"no window is called {alias.name}" if name not in known else f"window {alias.name} names itself",
                span=self.places.span(alias),
                hint=suggestion(alias.name, declared) if declared else f"declare it: WINDOW {alias.name} AS (…)",
            )
        found = self._over(declared[name], (*known, name))
        has_frame = declared[name].args.get("spec") is not None
        return found.partition, found.order, found.frame if has_frame else None

    def _clash(self, node: exp.Window, what: str) -> ToastergenError:
        return ResolveError(
            f"{what} beside the window {node.args['alias'].name} that it extends",
            span=self.places.span(node.args["alias"]),
            hint="write the whole window out",
        )

    def _ordering(self, node: exp.Expr) -> Ordering:
        check_arguments(node, ("this", "desc", "nulls_first"), self.places, "ORDER BY")
        return Ordering(self.value(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))

    # --- frames -------------------------------------------------------------------------------------------

    def _frame(self, spec: exp.Expr, node: exp.Window, order: tuple[Ordering, ...]) -> Frame:
        check_arguments(spec, ("kind", "start", "start_side", "end", "end_side"), self.places, "a frame")
        unit = str(spec.args["kind"]).lower()
        start = self._bound(spec.args.get("start"), spec.args.get("start_side"), unit, node, order)
        end = Bound(CURRENT)
        if spec.args.get("end") is not None:
            end = self._bound(spec.args.get("end"), spec.args.get("end_side"), unit, node, order)
        frame = Frame(unit, start, end)
        fault = fault_of(frame)
        if fault:
            raise ResolveError(fault, span=self.places.span(node), hint="write the earlier end first")
        return frame

    def _bound(
        self, value: object, side: object, unit: str, node: exp.Window, order: tuple[Ordering, ...]
    ) -> Bound:
        if value == "CURRENT ROW":
            return Bound(CURRENT)
        where = PRECEDING if side == "PRECEDING" else FOLLOWING
        if value == "UNBOUNDED":
            return Bound(where)
        assert isinstance(value, exp.Expr)
        if unit != RANGE:
            return Bound(where, Const(self._number(value, node, f"a frame of {unit.upper()}", 0), LONG))
        return Bound(where, self._offset(value, node, order))

    def _offset(self, value: exp.Expr, node: exp.Window, order: tuple[Ordering, ...]) -> Const:
        if len(order) != 1:
            raise ResolveError(
                "an offset in a RANGE frame needs exactly one ORDER BY key",
                span=self.places.span(value),
                hint="order by one column, or use ROWS",
            )
        key = sc.type_of(order[0].value)
        wanted = offset_type(key)
        found: Scalar = self._length(value, key) if isinstance(value, exp.Interval) else self.value(value)
        if wanted is not None and isinstance(found, Const) and sc.type_of(found).is_numeric and found.value is not None:
            made = sc.cast(found, wanted)
            assert isinstance(made, Const)
            units = offset_units(made)
            if made.value == found.value and units is not None and 0 <= units < LARGEST:
                return made
        raise SqlTypeError(
            f"this offset does not fit a RANGE over {key}",
            span=self.places.span(value),
            hint="write a literal that is not negative: a number like the ORDER BY key, or INTERVAL '7' DAY for a date",
        )

    def _length(self, node: exp.Interval, key: Type) -> Const:
        """An interval in the units of a key: days or microseconds."""
        length = read_interval(self.places, node).length
        unit = {DATE: MICROSECONDS["DAY"], TIMESTAMP: 1}.get(key)
        if unit is None or length is None or length % unit:
            hint = "write whole days for a date, anything up to weeks for a timestamp: INTERVAL '7' DAY"
            raise self._refused(node, f"this INTERVAL in a RANGE over {key}", hint)
        return Const(length // unit, LONG)

    def _number(self, value: exp.Expr | None, node: exp.Expr, word: str, least: int) -> int:
        found = self.value(value) if value is not None else None
        number = found.value if isinstance(found, Const) and sc.type_of(found).is_integer else None
        if not isinstance(number, int) or not least <= number < LARGEST:
            raise SqlTypeError(
                f"{word} needs a whole number as a literal" + (f", {least} or more" if least in (0, 1) else ""),
                span=self.places.span(value if value is not None else node),
                hint="write for example 3",
            )
        return number

    def _refused(self, node: exp.Expr, what: str, hint: str) -> UnsupportedSql:
        return UnsupportedSql(f"{what} is not supported", span=self.places.span(node), hint=hint)


def _average(total: Scalar, count: Scalar) -> Scalar:
    quotient = Arith("/!", sc.cast(sc.known(total), DOUBLE), sc.cast(count, DOUBLE), DOUBLE)
    empty = Compare("=", count, sc.ZERO)
    return Case(((empty, Const(None, DOUBLE)),), quotient) if sc.is_nullable(total) else quotient


def is_windowed(node: exp.Expr) -> bool:
    """Is a function itself what stands before OVER?"""
    inner, outer = node, node.parent
    while isinstance(outer, exp.Filter | exp.IgnoreNulls | exp.RespectNulls) and outer.this is inner:
        inner, outer = outer, outer.parent
    return isinstance(outer, exp.Window) and outer.this is inner
