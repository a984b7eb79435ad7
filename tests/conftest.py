"""Options of the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every machine and in every run: who searches for others uses tests/property/hunt.py or a seed.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the files of tests/golden")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
