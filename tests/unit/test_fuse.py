"""Fusing chains shares lookups and loops, and never carries a write ahead of a read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, assert_never

from hypothesis import given, settings
from hypothesis import strategies as st

from toastergen.codegen.chain import Chain
from toastergen.codegen.passes.fuse import fuse
from toastergen.codegen.plan import (
    AddTo,
    Block,
    Field,
    Find,
    ForEach,
    If,
    Let,
    Node,
    Rows,
    Slice,
    Step,
    Total,
    Update,
)  # fmt: skip
from toastergen.frontend import scalar as sc
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import LONG

# Every map has two keys k0, k1 and two slots n, v. A statement for one map reads only maps after it in this list, and
# statements are sorted by their target: that is the order M3 demands.
MAPS = ["q", "m1", "m2", "m3"]
PARAM = Var("p", LONG)
State = dict[str, dict[tuple[int, int], dict[str, int]]]


def field(record: str, name: str) -> Var:
    return Var(f"{record}.{name}", LONG)


def chain(
    target: str, keys: tuple[Scalar, ...], slot: str, value: Scalar, *steps: Step, total: int | None = None
) -> Chain:
    return Chain(steps, target, keys, Field(slot, LONG), value, total, f"{target}.{slot}")


# --- a small machine for plans ----------------------------------------------------------------------------


def records(step: Step, state: State, env: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The bindings a step makes, once per round."""
    match step:
        case If():
            yield from [{}] if evaluate(step.test, env) is True else []
        case Let():
            yield {step.var.name: evaluate(step.value, env)}
        case Find() | Slice() | ForEach():
            wanted = () if isinstance(step, ForEach) else tuple(evaluate(key, env) for key in step.keys)
            places = step.positions if isinstance(step, Slice) else range(len(wanted))
            for key, slots in list(state[step.map].items()):
                if all(key[place] == value for place, value in zip(places, wanted, strict=True)):
                    yield {f"{step.record}.k{i}": part for i, part in enumerate(key)} | {
                        f"{step.record}.{slot}": slots[slot] for slot in slots
                    }
        case Rows():
            raise AssertionError("no batches here")
        case _:
            assert_never(step)


def run(nodes: tuple[Node, ...], state: State, env: dict[str, Any]) -> None:
    for node in nodes:
        match node:
            case Block():
                for more in records(node.step, state, env):
                    run(node.body, state, env | more if not _totals(env) else _Inner(env, more))
            case Update():
                for slot, value in node.values:
                    write(state, node.map, node.keys, slot, value, env)
            case Total():
                inner = _Inner(env, {name: 0 for name, _ in node.totals})
                run(node.body, state, inner)
                run((node.update,), state, inner)
            case AddTo():
                env[node.total] = env[node.total] + evaluate(node.value, env)
            case _:
                raise AssertionError(f"not here: {node}")


class _Inner(dict[str, Any]):
    """Bindings of a round; totals of the rounds around it are written through."""

    def __init__(self, outer: dict[str, Any], more: dict[str, Any]) -> None:
        super().__init__({**outer, **more})
        self._outer, self._own = outer, set(more)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if name not in self._own:
            self._outer[name] = value


def _totals(env: dict[str, Any]) -> bool:
    return isinstance(env, _Inner)


def write(
    state: State, target: str, keys: tuple[Scalar, ...], slot: str, value: Scalar, env: Mapping[str, Any]
) -> None:
    key = tuple(int(evaluate(part, env)) for part in keys)  # type: ignore[arg-type]
    state[target].setdefault(key, {"n": 0, "v": 0})[slot] += evaluate(value, env)  # type: ignore[index, operator]


def run_apart(chains: list[Chain], state: State, env: dict[str, Any]) -> State:
    """What M3 says: every statement reads the state before the event."""
    result = deepcopy(state)

    def follow(item: Chain, at: int, env: dict[str, Any]) -> None:
        if at == len(item.steps):
            write(result, item.target, item.keys, item.slot.name, item.value, env)
            return
        for more in records(item.steps[at], state, env):
            follow(item, at + 1, {**env, **more})

    for item in chains:
        follow(item, 0, env)
    return result


# --- random chains ----------------------------------------------------------------------------------------


@st.composite
def chains(draw: st.DrawFn) -> list[Chain]:
    targets = sorted(draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)))
    return [draw(_chain(target)) for target in targets]


@st.composite
def _chain(draw: st.DrawFn, target: int) -> Chain:
    steps: list[Step] = []
    bound: list[Scalar] = [PARAM, sc.ONE]
    for number in range(draw(st.integers(0, 2)) if target < 3 else 0):
        steps.append(draw(_step(MAPS[target + 1 :], bound, f"x{number}")))
        record = getattr(steps[-1], "record", None)
        bound += [field(record, name) for name in ("k0", "k1", "v")] if record else []
    part = st.sampled_from(bound)
    keys = (draw(part), draw(part))
    slot, value = draw(st.sampled_from("nv")), draw(part)
    return chain(MAPS[target], keys, slot, value, *steps, total=_total_at(steps, keys))


@st.composite
def _step(draw: st.DrawFn, readable: list[str], bound: list[Scalar], record: str) -> Step:
    name, key = draw(st.sampled_from(readable)), draw(st.sampled_from(bound))
    match draw(st.sampled_from(["each", "slice", "find", "if"])):
        case "each":
            return ForEach(name, record)
        case "slice":
            return Slice(name, (draw(st.integers(0, 1)),), (key,), record)
        case "find":
            return Find(name, (key, draw(st.sampled_from(bound))), record)
        case _:
            return If(sc.Compare("<=", key, sc.ONE))


def _total_at(steps: list[Step], keys: tuple[Scalar, ...]) -> int | None:
    needed = {var.name.split(".")[0] for key in keys for var in sc.variables(key)}
    last = max((i for i, step in enumerate(steps) if getattr(step, "record", None) in needed), default=-1)
    return next((i for i, step in enumerate(steps) if i > last and isinstance(step, ForEach | Slice)), None)


def states() -> st.SearchStrategy[State]:
    key = st.tuples(st.integers(0, 2), st.integers(0, 2))
    record = st.fixed_dictionaries({"n": st.integers(1, 3), "v": st.integers(-2, 2)})
    return st.fixed_dictionaries({name: st.dictionaries(key, record, max_size=4) for name in MAPS})


@settings(max_examples=250, deadline=None, derandomize=True)
@given(chains(), states(), st.integers(0, 2))
def test_fused_chains_do_what_the_statements_say(items: list[Chain], state: State, param: int) -> None:
    expected = run_apart(items, state, {"p": param})
    found = deepcopy(state)
    run(tuple(fuse(items)), found, {"p": param})
    assert _present(found) == _present(expected)


def _present(state: State) -> dict[str, Any]:
    found: dict[str, Any] = defaultdict(dict)
    for name, held in state.items():
        found[name] = {key: slots for key, slots in held.items() if any(slots.values())}
    return dict(found)


# --- shapes -----------------------------------------------------------------------------------------------


def test_equal_lookups_are_made_once() -> None:
    find = Find("m1", (PARAM, PARAM), "x")
    nodes = fuse(
        [
            chain("q", (PARAM, PARAM), "n", field("x", "n"), find),
            chain("q", (PARAM, PARAM), "v", field("x", "v"), find),
        ]
    )
    (block,) = nodes
    assert isinstance(block, Block) and block.step == find
    (update,) = block.body
    assert isinstance(update, Update) and [slot for slot, _ in update.values] == ["n", "v"]


def test_a_write_does_not_join_a_loop_over_its_map() -> None:
    """q reads m1 in a loop; m1's own update must stay behind that loop, though it begins with the same lookup."""
    find = Find("m2", (PARAM, PARAM), "x")
    reads = chain("q", (field("y", "k0"), PARAM), "v", sc.ONE, find, ForEach("m1", "y"))
    writes = chain("m1", (PARAM, PARAM), "v", sc.ONE, find)
    first, second = fuse([reads, writes])
    assert isinstance(first, Block) and isinstance(second, Block)
    assert all(not isinstance(node, Update) for node in first.body)


def test_an_update_does_not_overtake_a_reader_in_between() -> None:
    first = chain("m1", (PARAM, PARAM), "n", sc.ONE)
    reader = chain("q", (PARAM, PARAM), "v", field("x", "v"), Find("m1", (PARAM, PARAM), "x"))
    late = chain("m1", (PARAM, PARAM), "v", sc.ONE)
    assert [type(node) for node in fuse([first, reader, late])] == [Update, Block, Update]


def test_loops_that_only_add_up_touch_their_target_once() -> None:
    loop = ForEach("m1", "x")
    (total,) = fuse([chain("q", (PARAM, PARAM), slot, field("x", slot), loop, total=0) for slot in "nv"])
    assert isinstance(total, Total)
    assert len(total.totals) == 2 and len(total.update.values) == 2
    (block,) = total.body
    assert isinstance(block, Block) and all(isinstance(node, AddTo) for node in block.body)
