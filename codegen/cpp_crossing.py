"""The index of a derived relation of intervals, and the calls that keep it. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping

from toastergen.codegen.cpp_body import BodyPrinter
from toastergen.codegen.cpp_types import key_type, slot_type, value_type
from toastergen.codegen.plan import DerivedPlan, MapPlan
from toastergen.frontend.m3 import Crossing
from toastergen.frontend.scalar import Compare, type_of, variables


def crossing_context(item: DerivedPlan, maps: Mapping[str, MapPlan], word: str) -> dict[str, object]:
    """What the templates need. The plan with two values gives keys and weights, that with one the threshold."""
    crossing = item.crossing
    assert crossing is not None
    is_weight = len(item.values) == 2
    return {
        "member": f"m_interval_of_{word}",
        "is_weight": is_weight,
        "type": _index(crossing, key_type(type_of(item.values[0]))) if is_weight else "",
        "holds": BodyPrinter(maps, "m_overflow").condition(crossing.test),
    }


def _index(crossing: Crossing, key: str) -> str:
    types = {var.name: var.type for var in variables(crossing.test)}
    flags = (crossing.side.startswith(">"), crossing.counts_nothing, _rises(crossing))
    arguments = [key, slot_type(types["running"]), value_type(types["threshold"])]
    return f"tg::running_interval<{', '.join([*arguments, *('true' if flag else 'false' for flag in flags)])}>"


def _rises(crossing: Crossing) -> bool:
    """Does the test come true as the sum grows?"""
    test = crossing.test
    assert isinstance(test, Compare)
    running_is_left = any(var.name == "running" for var in variables(test.left))
    return test.op.startswith(">") == running_is_left
