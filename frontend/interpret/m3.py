"""Run a trigger program on dictionaries, statement by statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from toastergen.errors import DataError
from toastergen.frontend.calculus.agca import outputs
from toastergen.frontend.interpret.agca import Env, Evaluator
from toastergen.frontend.interpret.numbers import Number, from_number
from toastergen.frontend.interpret.rows import Row, checked_row, derived_rows, find_relation, find_view, view_rows
from toastergen.frontend.m3 import BATCH, COUNT, DELETE, INSERT, TABLE, Map, Program, Relation, Statement, Trigger
from toastergen.frontend.scalar import PyValue

Records = dict[Row, dict[str, Number]]


def _refuse_deletes(relation: Relation, weights: Iterable[int]) -> None:
    if relation.append_only and any(weight < 0 for weight in weights):
        message = f"relation {relation.name}: rows of an APPEND ONLY stream cannot be deleted"
        raise DataError(message, hint="declare the stream without APPEND ONLY")


class Interpreter:
    """The state is one dictionary per map: key to slots. A program is checked before it comes here."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._maps: dict[str, Records] = {item.name: {} for item in program.maps}
        self._derived = {relation.name: Counter[Row]() for relation in program.derived()}
        self._started = ""  # the first stream that changed
        self._propagate()

    def insert(self, relation: str, row: Sequence[PyValue]) -> None:
        declared = find_relation(self._program, relation)
        checked = checked_row(declared, row)
        self._enter(declared)
        self._single(INSERT, relation, checked)
        self._propagate()

    def delete(self, relation: str, row: Sequence[PyValue]) -> None:
        declared = find_relation(self._program, relation)
        _refuse_deletes(declared, (-1,))
        checked = checked_row(declared, row)
        self._enter(declared)
        self._single(DELETE, relation, checked)
        self._propagate()

    def apply(
        self, relation: str, rows: Iterable[Sequence[PyValue]], weights: Sequence[int] | None = None
    ) -> None:
        """A batch, each row with its weight (+1 if none are given). A bad row changes nothing."""
        declared = find_relation(self._program, relation)
        checked = [checked_row(declared, row) for row in rows]
        counts = [1] * len(checked) if weights is None else list(weights)
        if len(counts) != len(checked):
            message = f"{len(checked)} rows come with {len(counts)} weights"
            raise DataError(message, hint="give one weight per row, or none at all")
        _refuse_deletes(declared, counts)
        self._enter(declared)
        trigger = self._program.trigger(BATCH, relation)
        if trigger is not None:
            self._batch(trigger, checked, counts)
            self._propagate()
            return
        for row, count in zip(checked, counts, strict=True):
            for _ in range(abs(count)):
                self._single(INSERT if count > 0 else DELETE, relation, row)
        self._propagate()

    def _enter(self, relation: Relation) -> None:
        """Tables are fixed as soon as a stream has changed: their triggers no longer look at the streams."""
        if relation.kind == TABLE and self._started:
            message = f"relation {relation.name}: a table cannot change after stream {self._started} has"
            raise DataError(message, hint="load tables first, or declare it as a STREAM")
        if relation.kind != TABLE:
            self._started = self._started or relation.name

    def map(self, name: str) -> dict[Row, dict[str, int | float | Decimal]]:
        """The records that are present, every slot as a value of its type."""
        slots = self._program.map(name).slots
        return {
            key: {slot.name: from_number(record.get(slot.name, 0), slot.type) for slot in slots}
            for key, record in self._maps[name].items()
        }

    def view(self, name: str) -> list[Row]:
        view = find_view(self._program, name)
        return view_rows(view, self._program.map(view.map), self._maps[view.map])

    def _propagate(self) -> None:
        """Bring every derived relation up to date with its view: what is gone leaves, then what is new comes."""
        for name, old in self._derived.items():
            relation = self._program.relation(name)
            new = derived_rows(relation, [self.view(query) for query in relation.queries])
            for row in (old - new).elements():
                self._single(DELETE, name, row)
            for row in (new - old).elements():
                self._single(INSERT, name, row)
            self._derived[name] = new

    def _single(self, event: str, relation: str, row: Row) -> None:
        trigger = self._program.trigger(event, relation)
        if trigger is not None:
            env = {param.name: value for param, value in zip(trigger.params, row, strict=True)}
            self._run(trigger, env, {})

    def _batch(self, trigger: Trigger, rows: list[Row], counts: list[int]) -> None:
        delta: dict[Row, int] = {}
        for row, count in zip(rows, counts, strict=True):
            delta[row] = delta.get(row, 0) + count
        self._run(trigger, {}, {row: count for row, count in delta.items() if count})

    def _run(self, trigger: Trigger, env: Env, delta: dict[Row, int]) -> None:
        maps: dict[str, Records] = {**self._maps, **{item.name: {} for item in trigger.locals}}
        evaluator = Evaluator({}, {trigger.relation: delta}, maps)
        for statement in trigger.statements:
            _execute(statement, env, evaluator, maps[statement.target])
        # Only now: inside a trigger a count may pass through zero while other slots still hold their share.
        for item in self._program.maps:
            _erase_absent(item, self._maps[item.name])


def _execute(statement: Statement, env: Env, evaluator: Evaluator, target: Records) -> None:
    columns = outputs(statement.expr)
    result = evaluator.rows(statement.expr, env)
    if statement.op == ":=":
        for record in target.values():
            record.pop(statement.slot, None)
    for row, number in result.items():
        full = {**env, **{var.name: value for var, value in zip(columns, row, strict=True)}}
        record = target.setdefault(tuple(full[key.name] for key in statement.keys), {})
        record[statement.slot] = record.get(statement.slot, 0) + number


def _erase_absent(item: Map, records: Records) -> None:
    deciding = (COUNT,) if item.has_count else tuple(slot.name for slot in item.slots)
    for key in [key for key, record in records.items() if not any(record.get(name) for name in deciding)]:
        del records[key]
