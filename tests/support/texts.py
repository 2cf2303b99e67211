"""Texts and tables that stand in files beside the tests."""

from functools import cache
from pathlib import Path
from typing import Any

from tests.support import cyaml
from tests.support.cases import case


def text_of(module: str, name: str) -> str:
    """A file of the folder ``data`` beside a module, which passes its ``__file__``."""
    return (Path(module).parent / "data" / name).read_text(encoding="utf-8")


def rows_of(module: str, name: str) -> Any:
    """A table of cases or a text: an entry of ``data/<module>.cases.yaml``, named like its test."""
    return _tables(module)[name]


def named_rows_of(module: str, name: str) -> list[Any]:
    """A table whose rows have names: a mapping from each name to its columns."""
    table: dict[str, list[Any]] = _tables(module)[name]
    return [case(row, *columns) for row, columns in table.items()]


@cache
def _tables(module: str) -> dict[str, Any]:
    tables: dict[str, Any] = cyaml.safe_load(
        text_of(module, f"{Path(module).stem.removeprefix('test_')}.cases.yaml")
    )
    return tables
