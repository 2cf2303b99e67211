"""Findings as a KRM function tells them: `results` of a ResourceList.

Source: the KRM functions specification, `Result`. A reference needs a whole apiVersion there, and
a field needs the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spokerender.findings.results import Result
from spokerender.findings.words import on_spokes
from spokerender.model import Ref
from spokerender.report.findings import sorted_results
from spokerender.report.printable import printable


def krm_results(
    results: Iterable[Result], version: Callable[[Ref], str], spokes: int | None = None
) -> list[dict[str, Any]]:
    """The findings, errors first; `version` gives the apiVersion of an object."""
    return [_value(result, version, spokes) for result in sorted_results(results)]


def _value(result: Result, version: Callable[[Ref], str], spokes: int | None) -> dict[str, Any]:
    about = f"{result.field}: " if result.field and result.resource is None else ""
    lines = [f"{about}{result.message}"]
    lines += [on_spokes(result.spokes, spokes)] if result.spokes else []
    lines += [result.cure] if result.cure else []
    value: dict[str, Any] = {
        "message": printable("\n".join(lines)),
        "severity": str(result.severity),
    }
    if result.resource is not None:
        ref = result.resource
        namespace = {"namespace": ref.namespace} if ref.namespace else {}
        value["resourceRef"] = {
            "apiVersion": version(ref),
            "kind": ref.kind,
            "name": ref.name,
            **namespace,
        }
        if result.field:
            value["field"] = {"path": result.field}
    if result.origin is not None:
        value["file"] = {"path": result.origin.path, "index": result.origin.index}
    value["tags"] = {"code": result.code, **dict(result.tags)}
    return value
