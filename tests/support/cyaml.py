"""PyYAML's functions with its C library beneath, which takes a tenth of the time."""

from collections.abc import Iterator
from typing import IO, Any

import yaml


def safe_load(text: str | bytes | IO[str]) -> Any:
    """Read one document."""
    return yaml.load(text, yaml.CSafeLoader)


def safe_load_all(text: str | bytes | IO[str]) -> Iterator[Any]:
    """Read every document."""
    return yaml.load_all(text, yaml.CSafeLoader)


def safe_dump(value: Any, **options: Any) -> str:
    """Write one document."""
    return str(yaml.dump(value, Dumper=yaml.CSafeDumper, **options))
