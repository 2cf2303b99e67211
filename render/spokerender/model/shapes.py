"""JSON of any shape, taken for what it has to be: what is something else counts as empty.

Whether that is a mistake is said once, by what holds objects to their schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct


def as_text(value: Any) -> str:  # noqa: ANN401  (JSON of any shape)
    """The text; empty, if it is none."""
    return value if isinstance(value, str) else ""


def as_list(value: Any) -> list[Any]:  # noqa: ANN401
    """The list; empty, if it is none."""
    return value if isinstance(value, list) else []


def as_mapping(value: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """The mapping; empty, if it is none."""
    return value if isinstance(value, Mapping) else {}


def as_mappings(value: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401
    """The items of a list that are mappings."""
    return [item for item in as_list(value) if isinstance(item, Mapping)]


def is_list_of_objects(value: Any) -> bool:  # noqa: ANN401
    """A `v1 List`, or a typed list as the API server answers: a kind that ends so, with items."""
    return (
        isinstance(value, Mapping)
        and as_text(value.get("kind")).endswith("List")
        and isinstance(value.get("items"), list)
    )


def objects_of(value: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401
    """The object, or those of a list of objects."""
    if is_list_of_objects(value):
        return as_mappings(value["items"])
    return [value] if isinstance(value, Mapping) else []


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a value that is made of Structs, tuples and sets, in no order."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple | frozenset):
            pending += part
        elif isinstance(part, Struct):
            pending += [getattr(part, name) for name in part.__struct_fields__]
