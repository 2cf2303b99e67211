"""Texts that stand in files beside the tests."""

from pathlib import Path


def text_of(module: str, name: str) -> str:
    """A file of the folder ``data`` beside a module, which passes its ``__file__``."""
    return (Path(module).parent / "data" / name).read_text(encoding="utf-8")
