"""All of this folder are laws."""

import pytest


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Mark the modules of this folder, of which alone this hook hears."""
    if isinstance(collector, pytest.Module):
        collector.add_marker(pytest.mark.property)
