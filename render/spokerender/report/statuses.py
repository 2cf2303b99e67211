"""The status of each policy: a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spokerender.explain.answers import AncestorStatus, PolicyStatus
from spokerender.findings.words import listed
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.model import Ref
from spokerender.report.colors import SEVERITY_STYLES, Style, paint
from spokerender.report.reports import Look, StatusReport
from spokerender.report.status_objects import LIKELY, consumers_yaml

_HEADER = ("POLICY", "TARGET", "GATEWAY", "ACCEPTED", "RESOLVED REFS", "PROGRAMMED")
_ITS_OWN = "ITS CONTROLLER SAYS"
_NAMED = 3
_TYPES = ("Accepted", "ResolvedRefs", "Programmed")
_FINE = {"Accepted", "ResolvedRefs", "Programmed"}
_STYLES = {Truth.FALSE: Style.RED, Truth.UNKNOWN: Style.YELLOW}


def status_table(report: StatusReport, look: Look) -> str:
    """The statuses, for people."""
    if report.consumers is not None:
        return consumers_yaml(report.consumers)
    return statuses_text(report.statuses, color=look.color, spokes=report.spokes)


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
            notes = {(LIKELY, paint("Likely", Style.YELLOW, color=color)): None, **notes}
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
