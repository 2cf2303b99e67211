"""The one serialiser of JSON reports.

A value names its own keys: a Struct is written with the names that its fields are encoded with
(`rename`), or as its `json_members` where its JSON has another shape. Members that are `ABSENT` are
left out.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.causes import marked
from spokerender.findings.results import Result
from spokerender.formats.comparing import ABSENT
from spokerender.model import Origin, Ref
from spokerender.report.reports import Look, Report, message_lines, sorted_results
from spokerender.report.terminal import escape_controls, printable


def report_json(report: Report, _: Look) -> str:
    """Print any report as one JSON object."""
    return json_text(replace(report, results=with_causes(report.results)))


def json_text(value: object) -> str:
    """Print a value as JSON for programs, which people can look at, too."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=_members)
    return escape_controls(text, lambda match: json.dumps(match[0])[1:-1]) + "\n"


def with_causes(results: Iterable[Result]) -> Sequence[Result]:
    """Return the findings sorted, and marked if they follow from another."""
    return sorted_results(marked(sorted_results(results)))


def krm_results(results: Iterable[Result], version: Callable[[Ref], str]) -> list[dict[str, Any]]:
    """Return findings as `results` of a ResourceList, errors first.

    Source: the KRM functions specification, `Result`. Unlike our own JSON, a reference has a whole
    apiVersion there, which `version` returns, and a field stands only beside a reference.
    """
    return [_krm_result(result, version) for result in sorted_results(results)]


def _members(value: object) -> object:
    """Return the JSON members of a value that is no JSON itself."""
    match value:
        case Ref():
            names = ("group", "kind", "namespace", "name")
            return {name: text for name in names if (text := getattr(value, name))}
        case Origin():
            column = {"column": value.column} if value.column else {}
            return {"path": value.path, "index": value.index, "line": value.line, **column}
        case Result():
            members = _result_members(value)
        case Struct() if hasattr(value, "json_members"):
            members = value.json_members
        case Struct():
            keys = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
            members = {key: getattr(value, field) for key, field in keys}
        case Mapping():
            members = dict(value)
        case _:
            return str(value)
    if not isinstance(members, dict):
        return members
    return {key: item for key, item in members.items() if item is not ABSENT}


def _result_members(result: Result) -> dict[str, Any]:
    """Return a KRM `Result`, with spokes; the specification has no field for code and cure."""
    cure = {"cure": result.cure} if result.cure else {}
    return {
        "message": result.message,
        "severity": result.severity,
        "resourceRef": ABSENT if result.resource is None else result.resource,
        "field": {"path": result.field} if result.field else ABSENT,
        "file": ABSENT if result.origin is None else result.origin,
        "tags": {"code": result.code, **cure, **dict(result.tags)},
        "spokes": result.spokes or ABSENT,
    }


def _krm_result(result: Result, version: Callable[[Ref], str]) -> dict[str, Any]:
    ref, origin = result.resource, result.origin
    about = f"{result.field}: " if result.field and ref is None else ""
    value: dict[str, Any] = {
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
    """Return the fields of a reference as the Gateway API names them, without empty ones."""
    parts = {
        "group": ref.group,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "sectionName": ref.section_name,
    }
    return {key: text for key, text in parts.items() if text}


def write_ancestor(ref: Ref) -> dict[str, str]:
    """Return a reference as `ancestorRef` has it: with its group, also if that is the core."""
    return {"group": ref.group, **write_reference(ref)}
