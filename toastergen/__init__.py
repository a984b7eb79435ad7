"""toastergen: turn SQL into a native engine that keeps the answer fresh while the data changes."""

from __future__ import annotations

__version__ = "0.1.0"
