"""What a KRM function is asked and what it answers, as text: a ResourceList each time.

Source: the KRM functions specification. Where kustomize and kpt let something pass that is wrong
(an alias, a result of severity error with exit status 0), this does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.metapolicies import FUNCTION, FUNCTION_TOLD
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.model import Ref, identity
from spokerender.model.krm import IDS, INDICES, PATHS, RESERVED, VERSIONS
from spokerender.rendering.values.layout import path_of
from spokerender.wings.metapolicies.model import Question, Reply, Told

JSON = Any
_OURS = (*PATHS, *INDICES, *IDS)
_SEVERITIES = {str(each): each for each in Severity}


def asked(question: Question) -> bytes:
    """The list that a function reads: equal questions are equal bytes."""
    items = [_marked(item, number) for number, item in enumerate(_items(question))]
    value = {
        "apiVersion": VERSIONS[0],
        "kind": "ResourceList",
        "items": items,
        "functionConfig": question.metapolicy,
    }
    return yamlio.emit(value).encode()


def answered(data: bytes, question: Question) -> Reply:
    """What a function's list says; a `problem` where it is none."""
    try:
        value = _read(data)
        given = dict(enumerate(_items(question)))
        items = [_plain(item, given) for item in _objects(value)]
        told = tuple(_told(value.get("results")))
    except _RubbishError as error:
        return Reply(problem=str(error), finding=FUNCTION)
    return Reply([item for item in items if not _is_spoke(item)], told)


def errors(data: bytes) -> str:
    """What a function that failed says is wrong, as far as its list can be read."""
    try:
        told = _told(_read(data).get("results"))
        return "; ".join(str(each.message) for each in told if each.severity is Severity.ERROR)
    except _RubbishError:
        return ""


class _RubbishError(Exception):
    """It is no ResourceList."""


def _items(question: Question) -> Sequence[dict[str, JSON]]:
    """The slice of the spoke, and the spoke itself if the definition reads that."""
    if not question.spoke:
        return question.items
    spoke = question.spoke
    metadata = {"name": spoke["name"], "labels": dict(spoke["labels"])}
    return [
        {
            "apiVersion": API_VERSION,
            "kind": "Spoke",
            "metadata": metadata,
            "spec": {"values": spoke["values"]},
        },
        *question.items,
    ]


def _is_spoke(item: Mapping[str, JSON]) -> bool:
    return item.get("apiVersion") == API_VERSION and item.get("kind") == "Spoke"


def _marked(item: dict[str, JSON], number: int) -> dict[str, JSON]:
    """The item with the annotations that say which file it is, and which item."""
    ref = identity(item) or Ref("", "", "", "")
    marks = dict.fromkeys(PATHS, path_of(ref)) | dict.fromkeys(INDICES, "0")
    marks |= dict.fromkeys(IDS, str(number))
    metadata = item.get("metadata") or {}
    return {**item, "metadata": {**metadata, "annotations": {**_annotations(item), **marks}}}


def _plain(item: dict[str, JSON], given: Mapping[int, dict[str, JSON]]) -> dict[str, JSON]:
    """The item without what is between us and the function; its own annotations stay."""
    metadata, marks = item.get("metadata"), _annotations(item)
    if not isinstance(metadata, dict) or "annotations" not in metadata:
        return item
    number = str(marks.get(IDS[1], marks.get(IDS[0])))
    old = given.get(int(number), {}) if number.isdecimal() else {}
    own = _annotations(old)
    kept = {
        key: own[key] if key in _OURS else text
        for key, text in marks.items()
        if (key in own if key in _OURS or key.startswith(RESERVED) else True)
    }
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    had_none = "annotations" not in (old.get("metadata") or {})
    if kept or not had_none:
        rest = {key: kept if key == "annotations" else value for key, value in metadata.items()}
    return {**item, "metadata": rest}


def _annotations(item: Mapping[str, JSON]) -> dict[str, JSON]:
    metadata = item.get("metadata")
    found = metadata.get("annotations") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def _read(data: bytes) -> dict[str, JSON]:
    if not data.strip():
        message = "it answers nothing"
        raise _RubbishError(message)
    documents, problems = yamlio.read(data, "")
    if problems:
        message = f"what it answers can't be read, line {problems[0].line}: {problems[0].message}"
        raise _RubbishError(message)
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        message = "what it answers is no ResourceList"
        raise _RubbishError(message)
    if value.get("apiVersion") not in VERSIONS:
        said = describe(value.get("apiVersion"))
        message = f"its ResourceList is {said}, not {' or '.join(VERSIONS)}"
        raise _RubbishError(message)
    line = None if documents[0].spliceable else yamlio.first_alias(documents[0].text)
    if line is not None:
        message = f"line {documents[0].text_line + line} of what it answers has a YAML alias"
        raise _RubbishError(message)
    return value


def _objects(value: Mapping[str, JSON]) -> Sequence[dict[str, JSON]]:
    items = value.get("items", "")
    items = [] if items is None else items  # how Go writes an empty list
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        message = "its ResourceList has no list of objects under items"
        raise _RubbishError(message)
    return items


def _told(results: JSON) -> Iterator[Told]:
    if results is None:
        return
    if not isinstance(results, list) or not all(map(_is_result, results)):
        message = "its ResourceList has results that are no list of messages"
        raise _RubbishError(message)
    for each in results:
        severity = _SEVERITIES[each.get("severity") or "error"]
        yield Told(FUNCTION_TOLD, _about(each) + each["message"], severity=severity)


def _is_result(value: JSON) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("message"), str)
        and (value.get("severity") or "error") in _SEVERITIES
    )


def _about(result: Mapping[str, JSON]) -> str:
    """Which object and field a result is about."""
    ref, field = result.get("resourceRef"), result.get("field")
    said = []
    if isinstance(ref, dict) and ref.get("kind") and ref.get("name"):
        place = f"{ref['namespace']}/" if ref.get("namespace") else ""
        said.append(f"{ref['kind']} {place}{ref['name']}")
    if isinstance(field, dict) and field.get("path"):
        said.append(str(field["path"]))
    return f"{' '.join(said)}: " if said else ""
