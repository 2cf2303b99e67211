"""The status of each policy: a table for people, JSON, and YAML as a cluster would show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from render.explain import AncestorStatus, ConsumerStatus, PolicyStatus
from render.findings.words import listed
from render.formats import yamlio
from render.judging.attachment.model import Condition, Truth
from render.model import ObjectName, Ref
from render.report.colors import Style, paint
from render.report.findings import json_text, origin_value, ref_value
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
    return statuses_json(report.statuses)


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
            f"all {spokes:,}" if len(status.spokes) == spokes else listed(status.spokes, _NAMED),
        )
        for status in statuses
        for ancestor in status.ancestors
    ]
    table = _table([header, *rows])
    notes = list(_notes(statuses, color=color))
    return "".join(f"{line}\n" for line in [*table, *([""] if notes else []), *notes])


def _targets(status: PolicyStatus) -> str:
    """A local target is told without its namespace, which is the policy's."""
    own = status.policy.namespace
    return ", ".join(
        f"{target.kind} {target.name if target.namespace == own else target.full_name}"
        + (f"[{target.section_name}]" if target.section_name else "")
        for target in dict.fromkeys(status.targets)
    )


def _ancestor(status: PolicyStatus, ancestor: Ref) -> str:
    return "-" if ancestor in status.targets and ancestor.kind != "Gateway" else ancestor.full_name


def _reason(ancestor: AncestorStatus, name: str) -> str:
    found = (item for item in ancestor.conditions if item.type == name)
    return next((_short(item) for item in found), "-")


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


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as kubectl has them: three spaces apart, as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _notes(statuses: Iterable[PolicyStatus], *, color: bool) -> Iterator[str]:
    for status in statuses:
        told: set[tuple[str, str]] = set()
        if status.is_likely:
            likely = paint("Likely", Style.YELLOW, color=color)
            yield f"{status.policy} ({status.origin}): {likely}: {_LIKELY}"
        for ancestor in status.ancestors:
            for item in ancestor.conditions:
                if item.type not in _TYPES:
                    continue
                if item.reason in _FINE or (item.type, item.message) in told:
                    continue
                told.add((item.type, item.message))
                reason = paint(item.reason, _STYLES.get(item.status, Style.BOLD), color=color)
                yield f"{status.policy} ({status.origin}): {item.type} {reason}: {item.message}"


def statuses_json(statuses: Sequence[PolicyStatus]) -> str:
    """The statuses as one JSON object with the list `policies`."""
    return json_text(
        {
            "policies": [
                {
                    "resourceRef": ref_value(status.policy),
                    "hub": ref_value(status.hub),
                    "file": origin_value(status.origin),
                    "spokes": list(status.spokes),
                    "isLikely": status.is_likely,
                    "status": _status(status),
                }
                for status in statuses
            ]
        }
    )


def statuses_yaml(statuses: Sequence[PolicyStatus]) -> str:
    """Each policy with its `status`, in the form that GEP-713 gives it (`PolicyStatus`)."""
    return "---\n".join(
        f"# {', '.join(status.spokes)}\n" + yamlio.emit(_object(status)) for status in statuses
    )


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
    return {
        "ancestors": [
            {
                "ancestorRef": _ancestor_ref(ancestor.ancestor),
                "controllerName": CONTROLLER,
                "conditions": [
                    {
                        "type": item.type,
                        "status": str(item.status),
                        "reason": item.reason,
                        "message": item.message,
                    }
                    for item in ancestor.conditions
                ],
            }
            for ancestor in status.ancestors
        ]
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
