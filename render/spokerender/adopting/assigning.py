"""Set values in a project's own files by paths, such as `spokes.eu-1.labels.tier=edge`."""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

from msgspec import Struct

from spokerender.adopting.editable import EditableDocument, read_editable
from spokerender.findings.codes.project import BAD_SETTING
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import count, describe, did_you_mean
from spokerender.formats import yamlio
from spokerender.model.shapes import Json, as_mapping, as_mappings
from spokerender.model.sources import Files

APPEND = "+"
_DOT = re.compile(r"(?<!\\)\.")
_FLEET = "Fleet"


class Assignment(Struct, frozen=True):
    """A value for a path below `spec` of one of the project's files.

    A step is a key, the number or the `name` of an item, or `+` for a new item. The first step may
    be `fleet`, or the name of a document if several documents have the key. The value None removes.
    """

    text: str
    steps: tuple[str, ...]
    value: Any


def read_assignment(text: str) -> Assignment:
    r"""Read `PATH=VALUE`: dots separate the steps (`\.` is a dot in a key), the value is YAML.

    Raises `InputError` for any other text.
    """
    path, has_value, written = text.partition("=")
    steps = tuple(step.replace("\\.", ".") for step in _DOT.split(path))
    if not has_value or not all(steps):
        message = f'"{text}" is not of the form PATH=VALUE'
        raise _refusal(message, "write spokes.eu-1.labels.tier=edge")
    documents, problems = yamlio.read(f"v: {written}\n".encode(), "--set")
    if problems or len(documents) != 1 or set(documents[0].value) != {"v"}:
        message = f'"{written}" in "{text}" is not a value in YAML'
        raise _refusal(message, "quote it as in YAML")
    return Assignment(text, steps, documents[0].value["v"])


def assign(files: Files, assignments: Sequence[Assignment]) -> Mapping[str, bytes]:
    """Return the files that the assignments change; all other bytes are unchanged.

    Raises `InputError` if a path leads nowhere, or a file can't be edited.
    """
    current = dict(files)
    for assignment in assignments:
        document, steps = _find_document(read_editable([*current.items()]), assignment)
        current |= document.edited(
            lambda spec, to=steps, a=assignment: _set(spec, to, a)  # type: ignore[misc]
        )
    old = dict(files)
    return {path: data for path, data in current.items() if data != old[path]}


def set_field(
    file: tuple[str, bytes], index: int, path: Sequence[str | int], value: Json
) -> Mapping[str, bytes]:
    """Return a file with a new value for a field of the document at `index`.

    Missing mappings on the path are created; an index after the last item of a list adds an item.
    Raises `InputError` if the file can't be edited.
    """
    document = next(item for item in read_editable([file]) if item.written.index == index)
    new = deepcopy(document.written.value)
    place = new
    for step in path[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if isinstance(place, list) and path[-1] == len(place):
        place.append(value)
    else:
        place[path[-1]] = value
    return document.rewritten(new)


def _find_document(
    documents: Sequence[EditableDocument], assignment: Assignment
) -> tuple[EditableDocument, tuple[str, ...]]:
    """Return the document that an assignment is about, and the path below its `spec`."""
    first, *rest = assignment.steps
    having = [item for item in documents if first in _spec(item)]
    named = [item for item in documents if first in {_name(item), item.kind.casefold()}]
    if first == _FLEET.casefold():  # it is the fleet file, whatever other documents are called
        named = [item for item in named if item.kind == _FLEET] or named
    if len(having) > 1 and rest:  # the one that has the item
        having = [item for item in having if _has_item(_spec(item)[first], rest[0])] or having
    if len(having) == 1:
        return having[0], assignment.steps
    if len(named) == 1 and rest:
        return named[0], tuple(rest)
    if having or named:
        names = sorted(_name(item) for item in having or named)
        message = f'"{assignment.text}" may be about several documents'
        raise _refusal(message, f"begin with the name of one: {', '.join(names)}")
    places = sorted({str(name) for item in documents for name in (_name(item), *_spec(item))})
    cure = did_you_mean(first, places, "there are") or "name a field of fleet.yaml or the placement"
    message = f'"{assignment.text}": no document of the project has "{first}"'
    raise _refusal(message, cure)


def _name(document: EditableDocument) -> str:
    if document.kind == _FLEET:
        return "fleet"
    return str(as_mapping(document.written.value.get("metadata")).get("name", ""))


def _spec(document: EditableDocument) -> Mapping[str, Any]:
    return as_mapping(document.written.value.get("spec"))


def _has_item(value: Json, step: str) -> bool:
    return any(item.get("name") == step for item in as_mappings(value))


def _set(spec: dict[str, Any], steps: tuple[str, ...], assignment: Assignment) -> None:
    """Set or remove the assigned value in `spec`; missing mappings on the path are created."""
    place: Any = spec
    for step, after in pairwise(steps):
        place = _enter(place, step, after, assignment)
    last = steps[-1]
    match place:
        case dict() if assignment.value is None:
            place.pop(last, None)
        case dict():
            place[last] = assignment.value
        case list() if last == APPEND:
            place.append(assignment.value)
        case list():
            index = _find_index(place, last, assignment)
            if assignment.value is None:
                del place[index]
            else:
                place[index] = assignment.value
        case _:
            raise _refuse_step(place, last, assignment)


def _enter(place: Json, step: str, after: str, assignment: Assignment) -> Json:
    match place:
        case dict():
            if place.get(step) is None:
                place[step] = [] if after == APPEND else {}
            return place[step]
        case list():
            return place[_find_index(place, step, assignment)]
    raise _refuse_step(place, step, assignment)


def _find_index(items: list[Any], step: str, assignment: Assignment) -> int:
    """Return the index of the item with the `name` or number `step`. Raises `InputError`."""
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    if step in names:
        return names.index(step)
    if step.isdecimal() and step.isascii() and int(step) < len(items):
        return int(step)
    shown = [str(name) for name in names if name is not None]
    cure = did_you_mean(step, shown, "there are") or f"it has {count(len(items), 'item')}, from 0"
    message = f'"{assignment.text}": no item "{step}"'
    raise _refusal(message, cure)


def _refuse_step(place: object, step: str, assignment: Assignment) -> InputError:
    message = f'"{assignment.text}": {describe(place)} has no "{step}"'
    return _refusal(message, "end the path before that step")


def _refusal(message: str, cure: str) -> InputError:
    return InputError((BAD_SETTING.result(message, cure=cure),))
