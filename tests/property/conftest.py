"""All of this folder are laws."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is below this folder, and nothing else."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.property)
