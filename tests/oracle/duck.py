"""DuckDB as the judge of the tests: the same recomputation that ``toastergen verify`` runs."""

from __future__ import annotations

from toastergen.changes import Row
from toastergen.recompute import Recomputation as DuckOracle
from toastergen.recompute import quoted

__all__ = ["DuckOracle", "Row", "quoted"]
