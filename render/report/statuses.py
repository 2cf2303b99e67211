"""The status of each policy: a table for people, JSON, and YAML as a cluster would show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from render.explain import AncestorStatus, PolicyStatus
from render.findings.results import Result
from render.findings.words import listed
from render.formats import yamlio
from render.judging.attachment.model import Condition, Truth
from render.model import ObjectName, Ref
from render.rendering.values.publishing import ConsumerStatus
from render.report.colors import SEVERITY_STYLES, Style, paint
from render.report.findings import (
    json_text,
    origin_value,
    ref_value,
    result_value,
    results_member,
)
from render.report.reports import Look, StatusReport

CONTROLLER = "spokerender.io/render"
"""Who says so: a status has to name a controller, and which one it will be no file tells."""

_HEADER = ("POLICY", "TARGET", "GATEWAY", "ACCEPTED", "RESOLVED REFS", "PROGRAMMED")
_ITS_OWN = "ITS CONTROLLER SAYS"
_NAMED = 3
_TYPES = ("Accepted", "ResolvedRefs", "Programmed")
_LIKELY = (
    "only the cluster knows which policy is older; this is the outcome where all are made at once"
)
_NOWHERE = "on no spoke: the status that it would get on the hub"
_FINE = {"Accepted", "ResolvedRefs", "Programmed"}
_STYLES = {Truth.FALSE: Style.RED, Truth.UNKNOWN: Style.YELLOW}


def status_table(report: StatusReport, look: Look) -> str:
    """The statuses, for people."""
    if report.consumers is not None:
        return consumers_yaml(report.consumers)
    return statuses_text(report.statuses, color=look.color, spokes=report.spokes)


def status_json(report: StatusReport, _: Look) -> str:
    """The statuses, for programs."""
    if report.consumers is not None:
        return json_text([_consumer(item) for item in report.consumers])
    return statuses_json(report.statuses, report.results)


def status_yaml(report: StatusReport, _: Look) -> str:
    """The statuses as a cluster would show them."""
    if report.consumers is not None:
        return consumers_yaml(report.consumers)
    return statuses_yaml(report.statuses)


def consumers_yaml(consumers: Sequence[ConsumerStatus]) -> str:
    """What each consumer sees of an object, a document for each spoke."""
    return "---\n".join(yamlio.emit(_consumer(item)) for item in consumers)


def _consumer(item: ConsumerStatus) -> dict[str, Any]:
    made = {
        "workspace": item.workspace,
        "object": str(ObjectName.of(item.object)),
        "spoke": item.spoke,
        "status": item.status,
    }
    names = [str(ObjectName.of(ref)) for ref in item.related]
    return made | ({"related": names} if names else {})


def statuses_text(
    statuses: Sequence[PolicyStatus], *, color: bool, spokes: int | None = None
) -> str:
    """A table with a row for each policy and Gateway, and below it what is not as it should be.

    Args:
        statuses: what `statuses` answered, in its order.
        color: whether the reader is a terminal.
        spokes: how many spokes there are, so that "all" can be said.

    """
    has_own = any(map(_own, (each for status in statuses for each in status.ancestors)))
    header = (*_HEADER, *([_ITS_OWN] if has_own else []), "SPOKES")
    rows = [
        (
            *(f"{status.policy.kind} {status.policy.full_name}", _targets(status)),
            _ancestor(status, ancestor.ancestor),
            *(_reason(ancestor, name) for name in _TYPES),
            *([_own(ancestor)] if has_own else []),
            _spokes(status, spokes),
        )
        for status in statuses
        for ancestor in status.ancestors
    ]
    lines = table([header, *rows])
    notes = list(_notes(statuses, color=color))
    return "".join(f"{line}\n" for line in [*lines, *([""] if notes else []), *notes])


def _spokes(status: PolicyStatus, every: int | None) -> str:
    if not status.spokes:
        return "none"
    return f"all {every:,}" if len(status.spokes) == every else listed(status.spokes, _NAMED)


def _targets(status: PolicyStatus) -> str:
    """A local target is told without its namespace, which is the policy's."""
    own = status.policy.namespace
    return ", ".join(
        f"{target.kind} {target.name if target.namespace == own else target.full_name}"
        + (f"[{target.section_name}]" if target.section_name else "")
        for target in dict.fromkeys(status.targets)
    )


def _ancestor(status: PolicyStatus, ancestor: Ref) -> str:
    if ancestor.whole in (*status.targets, status.policy) and ancestor.kind != "Gateway":
        return "-"
    section = f"[{ancestor.section_name}]" if ancestor.section_name else ""
    return ancestor.full_name + section


def _reason(ancestor: AncestorStatus, name: str) -> str:
    conditions = (item for item in ancestor.conditions if item.type == name)
    return next((_short(item) for item in conditions), "-")


def _own(ancestor: AncestorStatus) -> str:
    """The conditions that only its controller has, as its users know them."""
    own = (item for item in ancestor.conditions if item.type not in _TYPES)
    return ", ".join(
        item.type
        if item.reason == item.type and item.status is Truth.TRUE
        else f"{item.type} {_short(item)}"
        for item in own
    )


def _short(condition: Condition) -> str:
    if condition.reason == condition.type:
        return str(condition.status)
    return f"{condition.status}: {condition.reason}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as kubectl has them: three spaces apart, as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _notes(statuses: Iterable[PolicyStatus], *, color: bool) -> Iterator[str]:
    """What is not as it should be, each policy's once; and what `check` tells besides."""
    for status in statuses:
        notes = dict.fromkeys(
            (item.message, f"{item.type} {_painted(item, color=color)}")
            for ancestor in status.ancestors
            for item in ancestor.conditions
            if item.type in _TYPES and item.reason not in _FINE
        )
        if status.is_likely:
            notes = {(_LIKELY, paint("Likely", Style.YELLOW, color=color)): None, **notes}
        said = {message for message, _ in notes}
        for result in status.results:
            if not any(result.message in message for message in said):
                style = SEVERITY_STYLES[result.severity]
                severity = paint(str(result.severity), style, color=color)
                notes[result.message, f"{severity} {result.code}"] = None
        for message, what in notes:
            yield f"{status.policy} ({status.origin}): {what}: {message}"


def _painted(item: Condition, *, color: bool) -> str:
    return paint(item.reason, _STYLES.get(item.status, Style.BOLD), color=color)


def statuses_json(statuses: Sequence[PolicyStatus], results: Iterable[Result] = ()) -> str:
    """The statuses as one JSON object with the list `policies`, and `results` if there are any."""
    return json_text(
        {
            "policies": [
                {
                    "resourceRef": ref_value(status.policy),
                    "hub": ref_value(status.hub),
                    "file": origin_value(status.origin),
                    "spokes": list(status.spokes),
                    "isLikely": status.is_likely,
                    "findings": [result_value(each) for each in status.results],
                    "status": _status(status),
                }
                for status in statuses
            ],
            **results_member(results),
        }
    )


def statuses_yaml(statuses: Sequence[PolicyStatus]) -> str:
    """Each policy with its `status`, in the form that GEP-713 gives it (`PolicyStatus`)."""
    return "---\n".join(
        "".join(f"# {line}\n" for line in _comments(status)) + yamlio.emit(_object(status))
        for status in statuses
    )


def _comments(status: PolicyStatus) -> Iterator[str]:
    """What the form of GEP-713 has no place for: where it is so, and whether that is certain."""
    yield ", ".join(status.spokes) or _NOWHERE
    if status.is_likely:
        yield f"likely: {_LIKELY}"


def _object(status: PolicyStatus) -> dict[str, Any]:
    ref = status.policy
    namespace = {"namespace": ref.namespace} if ref.namespace else {}
    return {
        "apiVersion": status.version,
        "kind": ref.kind,
        "metadata": {"name": ref.name, **namespace},
        "status": _status(status),
    }


def _status(status: PolicyStatus) -> dict[str, Any]:
    """A transition time would need a clock, and is left out."""
    if not status.has_ancestors:
        return {"conditions": [_condition(item) for item in status.ancestors[0].conditions]}
    return {
        "ancestors": [
            {
                "ancestorRef": _ancestor_ref(ancestor.ancestor),
                "controllerName": CONTROLLER,
                "conditions": [_condition(item) for item in ancestor.conditions],
            }
            for ancestor in status.ancestors
        ]
    }


def _condition(item: Condition) -> dict[str, str]:
    return {
        "type": item.type,
        "status": str(item.status),
        "reason": item.reason,
        "message": item.message,
    }


def _ancestor_ref(ref: Ref) -> dict[str, str]:
    parts = {
        "group": ref.group,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "sectionName": ref.section_name,
    }
    return {key: text for key, text in parts.items() if text or key == "group"}
