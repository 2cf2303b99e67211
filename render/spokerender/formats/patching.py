"""JSON merge patch and JSON Patch on plain data; only this module imports their libraries."""

import re
from collections.abc import Iterator, Mapping, Sequence

from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.model.shapes import Json, exact_text

_INDEX = re.compile("0|[1-9][0-9]*")
_DIGITS = 10
"""No list has an index with so many digits."""

DEEPEST = 100
"""The number of collections that may be nested, as in a file: recursion must not overflow."""
MOST_COPIED = 2_000_000
"""The most characters that a patch's copies may make; etcd takes objects up to 1.5 MB."""


class PatchProblem(Exception):  # noqa: N818  (a finding about the patch, not a fault of ours)
    """A patch does not fit its target; the message says at which field, and what is there."""


def merge(target: Json, patch: Json) -> Json:
    """Return the target with a JSON merge patch (RFC 7386) applied: null removes, mappings merge.

    Other values replace. Neither argument is changed, and the result shares no data with them.
    """
    import json_merge_patch  # noqa: PLC0415  (few hubs merge)

    # The library changes its target, and takes parts of the patch over.
    return json_merge_patch.merge(_copy(target), _copy(patch))


def difference(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, Json]:
    """Return the JSON merge patch that turns the mapping `old` into `new`.

    A merge patch can't set null: it removes a field that is null in `new`.
    """
    patch: dict[str, Json] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            if inner := difference(before, value):
                patch[key] = inner
        elif key not in old or exact_text(before) != exact_text(value):  # 1 == True in Python
            patch[key] = value
    return patch


def apply_patch(target: Json, operations: Sequence[Mapping[str, Json]]) -> Json:
    """Return the target after the operations of a JSON Patch (RFC 6902), applied one by one.

    Neither argument is changed, and the result shares no list or dict with them. Raises
    `PatchProblem` for the first operation that is malformed or does not fit.
    """
    import jsonpatch  # noqa: PLC0415  (few hubs patch)

    document = _copy(target)
    # Kept up to date by what copies add, and not counted anew for each operation.
    size = _size(document)
    for index, operation in enumerate(operations):
        # Copies of copies grow exponentially.
        if operation.get("op") == "copy":
            size += _size(_resolve(document, operation.get("from")))
            if size > MOST_COPIED:
                message = f"operation [{index}]: the copies would have more than {MOST_COPIED:,} "
                raise PatchProblem(message + "characters in all")
        try:
            # One by one and in place, so that a fault names its operation, and large objects are
            # not copied each time.
            document = jsonpatch.apply_patch(document, [operation], in_place=True, atomic=True)
        except (
            jsonpatch.JsonPatchException,
            jsonpatch.JsonPointerException,
            ValueError,  # an index of thousands of digits
        ) as error:
            reason = _reason(document, operation) or str(error)
            words = f"{operation.get('op')} {operation.get('path')}"
            raise PatchProblem(f"operation [{index}] ({words}): {reason}") from error
        # Checked after each operation, before the next one recurses into the result.
        if _depth_at(document, operation) > DEEPEST:
            message = f"operation [{index}]: the object is nested deeper than {DEEPEST} levels"
            raise PatchProblem(message)
    return document


def count_values(value: Json) -> int:
    """Return the number of texts, numbers, lists and mappings in JSON data."""
    return sum(1 for _ in _walk(value))


def _size(value: Json) -> int:
    """Return an estimate of the number of characters in JSON data."""
    return sum(
        (len(item) if isinstance(item, (str, dict, list)) else 0)
        + 1
        + (sum(len(key) + 1 for key in item) if isinstance(item, dict) else 0)
        for item in _walk(value)
    )


def _walk(value: Json) -> Iterator[Json]:
    """Yield JSON data and all values inside it, in no particular order."""
    pending = [value]
    while pending:
        item = pending.pop()
        yield item
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list):
            pending += item


def _depth_at(document: Json, operation: Mapping[str, Json]) -> int:
    """Return the document's depth through the value that `operation` has set; 0 if it sets none."""
    # These set nothing.
    if operation["op"] in {"remove", "test"}:
        return 0
    depth: int = operation["path"].count("/")
    level: list[Json] = [_resolve(document, operation["path"])]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            part for item in level for part in (item if isinstance(item, list) else item.values())
        ]
    return depth


def _copy(value: Json) -> Json:
    """Return a deep copy of JSON data, several times faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


def _reason(document: Json, operation: Mapping[str, Json]) -> str:
    """Return why an operation failed, in terms of the document; empty if only the library knows."""
    kind, path = operation.get("op"), operation.get("path")
    if kind in {"move", "copy"} and (missing := _missing(document, operation.get("from"))):
        return missing
    if missing := _missing(document, path, last_may_be_new=kind in {"add", "move", "copy"}):
        return missing
    if kind == "test" and "value" in operation and isinstance(path, str):
        return f"it is {describe(_resolve(document, path))}, not {describe(operation['value'])}"
    return ""


def _missing(document: Json, pointer: Json, *, last_may_be_new: bool = False) -> str:
    """Return where and why a JSON Pointer (RFC 6901) leads to nothing; empty if all steps exist."""
    import jsonpatch  # noqa: PLC0415  (few hubs patch)

    try:
        parts = jsonpatch.JsonPointer(pointer).parts
    except jsonpatch.JsonPointerException as error:
        return str(error)
    except TypeError:  # there is none
        return ""
    here = document
    for depth, part in enumerate(parts):
        place = jsonpatch.path_join(parts[:depth]) or "the object"
        is_new = last_may_be_new and depth == len(parts) - 1
        if isinstance(here, dict) and (part in here or is_new):
            here = here.get(part)
        elif isinstance(here, list) and (_has_item(here, part, is_new=is_new)):
            here = None if is_new else here[int(part)]
        else:
            content = f"it is a list of {len(here)}" if isinstance(here, list) else ""
            if isinstance(here, dict):
                content = did_you_mean(part, here, "it has") or "it has nothing"
            return f'{place} has no "{part[:40]}"; {content or f"it is {describe(here)}"}'
    return ""


def _has_item(items: list[Json], part: str, *, is_new: bool) -> bool:
    # Python refuses to convert thousands of digits.
    is_index = len(part) < _DIGITS and _INDEX.fullmatch(part) is not None
    return int(part) < len(items) + is_new if is_index else is_new and part == "-"


def _resolve(document: Json, pointer: Json) -> Json:
    """Return the value at a pointer; None if there is no value, which the library reports."""
    import jsonpatch  # noqa: PLC0415  (few hubs patch)

    try:
        return jsonpatch.JsonPointer(pointer).resolve(document)
    except (jsonpatch.JsonPointerException, LookupError, TypeError, ValueError):
        return None
