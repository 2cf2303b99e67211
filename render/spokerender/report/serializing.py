"""The serialiser of all JSON reports.

A value names its own keys: a Struct is written with its encoded field names (`rename`), or as its
`json_members` if its JSON has another shape. Members that are `ABSENT` are left out.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.causes import marked
from spokerender.findings.phrasing import count, joined
from spokerender.findings.results import Result
from spokerender.formats.comparing import ABSENT
from spokerender.judging.attachment.statuses import Condition
from spokerender.model import Origin, Ref
from spokerender.report.reports import Look, Report, ReviewReport, message_lines, sorted_results
from spokerender.report.terminal import escape_controls, printable

NO_TIME = "1970-01-01T00:00:00Z"
"""The time of every condition that is written: `metav1.Condition` requires one, and files do not
tell when a status changed."""


def report_json(report: Report, _: Look) -> str:
    """Return any report as one JSON object."""
    return json_text(replace(report, results=with_causes(report.results)))


def write_conditions(
    conditions: Iterable[Condition], *, with_outcomes: bool = False
) -> list[dict[str, Any]]:
    """Return conditions as Kubernetes has them; `with_outcomes` has `decidedByAge`, not times."""
    return [
        {
            "type": item.type,
            "status": str(item.status),
            "reason": item.reason,
            "message": item.message,
            **({} if with_outcomes else {"lastTransitionTime": NO_TIME}),
            **({"decidedByAge": item.by_age} if with_outcomes and item.by_age else {}),
        }
        for item in conditions
    ]


def json_text(value: object) -> str:
    """Return a value as JSON for programs, indented for people."""
    return f"{_write(value, _LINE)}\n"


def stream_json(members: Mapping[str, object]) -> Iterator[str]:
    """Yield an object as `json_text` writes it, in pieces: one for each item of an iterator."""
    before = "{"
    for key, value in members.items():
        yield f"{before}{_LINE}  {_write(key, _LINE)}: "
        # Only iterators are streamed; lists and tuples are in memory already.
        if isinstance(value, Iterator):
            opening = "["
            # An item is written as a whole, so that memory holds one of them at a time.
            for item in value:
                yield f"{opening}{_LINE}    {_write(item, _LINE + '    ')}"
                opening = ","
            yield "[]" if opening == "[" else f"{_LINE}  ]"
        else:
            yield _write(value, f"{_LINE}  ")
        before = ","
    yield f"{_LINE}}}\n"


_LINE = "\n"
_DEFAULTS: tuple[object, ...] = ("", None, ())
_CONSTANTS = {None: "null", True: "true", False: "false"}


# json.dumps takes twice as long with an indent, and leaves cycles behind.
def _write(value: object, line: str) -> str:
    """Return JSON, indented by two spaces; `line` is a line feed with the value's indentation."""
    match value:
        case str():
            # Not only the controls that JSON forbids: a terminal shows JSON, too.
            return escape_controls(
                encode_basestring(value), lambda match: json.dumps(match[0])[1:-1]
            )
        case None | bool():
            return _CONSTANTS[value]
        case dict():
            inner = f"{line}  "
            parts = [
                f"{_write(str(key), inner)}: {_write(item, inner)}" for key, item in value.items()
            ]
            return f"{{{inner}{f',{inner}'.join(parts)}{line}}}" if parts else "{}"
        case list() | tuple():
            inner = f"{line}  "
            parts = [_write(item, inner) for item in value]
            return f"[{inner}{f',{inner}'.join(parts)}{line}]" if parts else "[]"
        # After bool, which is an int to Python.
        case int() | float():
            return json.dumps(value)
    return _write(_members(value), line)


def with_causes(results: Iterable[Result]) -> Sequence[Result]:
    """Return the findings, sorted; a finding that follows from another has a tag that says so."""
    return sorted_results(marked(sorted_results(results)))


def krm_results(results: Iterable[Result], version: Callable[[Ref], str]) -> list[dict[str, Any]]:
    """Return findings as `results` of a ResourceList, errors first.

    Source: the KRM functions specification, `Result`. Unlike in our own JSON, a reference has a
    whole apiVersion, which `version` returns, and a field is written only beside a reference.
    """
    return [_krm_result(result, version) for result in sorted_results(results)]


def _members(value: object) -> object:
    """Return JSON for a value of ours: the members of an object, or a text."""
    match value:
        case Ref():
            return write_reference(value)
        case Origin():
            column = {"column": value.column} if value.column else {}
            return {"path": value.path, "index": value.index, "line": value.line, **column}
        case Result():
            # A KRM `Result`, with spokes; the specification has no field for code and cure.
            cure = {"cure": value.cure} if value.cure else {}
            members = {
                "message": value.message,
                "severity": value.severity,
                "resourceRef": ABSENT if value.resource is None else value.resource,
                "field": {"path": value.field} if value.field else ABSENT,
                "file": ABSENT if value.origin is None else value.origin,
                "tags": {"code": value.code, **cure, **dict(value.tags)},
                "spokes": value.spokes or ABSENT,
            }
        case Struct() if hasattr(value, "json_members"):
            members = value.json_members
        case Struct():
            keys = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
            members = {key: getattr(value, name) for key, name in keys}
            # As msgspec's own encoder does, which can't write `Ref` and `Origin` in their JSON
            # shape.
            if value.__struct_config__.omit_defaults:
                members = {key: item for key, item in members.items() if item not in _DEFAULTS}
        case Mapping():
            members = dict(value)
        case _:
            return str(value)
    if not isinstance(members, dict):
        return members
    return {key: item for key, item in members.items() if item is not ABSENT}


def _krm_result(result: Result, version: Callable[[Ref], str]) -> dict[str, Any]:
    ref, origin = result.resource, result.origin
    # KRM: a field without a reference has no place, so it goes into the message.
    about = f"{result.field}: " if result.field and ref is None else ""
    value: dict[str, Any] = {
        # The callers of functions print messages, so they are escaped here.
        "message": printable(about + "\n".join(message_lines(result, None))),
        "severity": str(result.severity),
    }
    if ref is not None:
        namespace = {"namespace": ref.namespace} if ref.namespace else {}
        identity = {"apiVersion": version(ref), "kind": ref.kind, "name": ref.name}
        value["resourceRef"] = identity | namespace
        value |= {"field": {"path": result.field}} if result.field else {}
    if origin is not None:
        value["file"] = {"path": origin.path, "index": origin.index}
    return value | {"tags": {"code": result.code, **dict(result.tags)}}


def write_reference(ref: Ref) -> dict[str, str]:
    """Return the non-empty fields of a reference, named as in the Gateway API."""
    parts = {
        "group": ref.group,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "sectionName": ref.section_name,
    }
    return {key: text for key, text in parts.items() if text}


def list_left_out(left_out: Mapping[str, int]) -> list[str]:
    """Return, for each reason, the number of files that are in no difference, and the reason."""
    return [f"{number:,} {reason}" for reason, number in left_out.items()]


def count_besides(report: Report) -> str:
    """Return a note about a review's differences, for formats that print findings only; or ""."""
    if not isinstance(report, ReviewReport):
        return ""
    changes = report.review.changes
    parts = [count(len(changes), "difference")] if changes else []
    parts += list_left_out(report.review.left_out)
    return f"not in this format: {joined(parts)}" if parts else ""
