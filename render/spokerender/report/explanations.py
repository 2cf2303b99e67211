"""The answers of `explain` as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spokerender.explain import (
    Destination,
    Explanation,
    FieldChange,
    FleetSummary,
    NotShipped,
    ObjectExplanation,
    Placing,
    SpokeExplanation,
    Step,
)
from spokerender.explain.requirements import Required, Requirements
from spokerender.findings.words import count, listed, on_spokes
from spokerender.model import Ref, shown
from spokerender.report.changes import source_text
from spokerender.report.colors import Style, paint
from spokerender.report.findings import results_text
from spokerender.report.reports import ExplainReport, Look
from spokerender.report.values import change_lines

_FIELD_SPOKES = 20
"""How many spokes are told one by one where a field has another value on each."""
_DESTINATIONS = 10
"""How many are told one by one where the object goes as something else on each spoke."""


def explain_text(report: ExplainReport, look: Look) -> str:
    """The answer, for people."""
    return explanation_text(report.explanation, color=look.color, verbose=look.verbose)


def explanation_text(explanation: Explanation, *, color: bool, verbose: bool) -> str:
    """Tell where an object goes and why, what a spoke gets and needs, or the fleet in numbers."""
    match explanation:
        case ObjectExplanation():
            lines = _object(explanation, color=color)
        case SpokeExplanation():
            lines = _spoke(explanation, color=color)
        case FleetSummary():
            return "".join(f"{line}\n" for line in _fleet(explanation))
    text = "".join(f"{line}\n" for line in lines)
    findings = results_text(explanation.results, color=color, verbose=verbose)
    return f"{text}\n{findings}" if findings else text


def _object(explanation: ObjectExplanation, *, color: bool) -> Iterator[str]:
    yield f"{paint(str(explanation.ref), Style.BOLD, color=color)} ({explanation.origin})"
    for chain in explanation.chains:
        yield from _chain(chain)
    for destination in explanation.destinations[:_DESTINATIONS]:
        yield ""
        yield from _destination(destination, color=color)
    if more := [
        spoke for item in explanation.destinations[_DESTINATIONS:] for spoke in item.spokes
    ]:
        yield ""
        yield f"And as something else {on_spokes(more)}; --spoke tells of one"
    for left in explanation.not_shipped:
        yield ""
        yield from _not_shipped(left, color=color)


def _chain(chain: Sequence[Step]) -> Iterator[str]:
    for number, step in enumerate(chain):
        verb = "hangs on" if number == 0 else "which hangs on"
        yield f"  {'  ' * number}{verb} {step.ref} by {step.field} ({step.origin})"


def _destination(destination: Destination, *, color: bool) -> Iterator[str]:
    where = on_spokes(destination.spokes)
    yield paint(f"{where[0].upper()}{where[1:]}", Style.BOLD, color=color)
    yield f"  as {destination.ref}, in {destination.path}"
    yield from (f"  because {_placing(placing)}" for placing in destination.placings)
    if not destination.fields:
        yield "  every field is as on the hub"
        return
    yield "  fields that are not as on the hub:"
    for group in _by_path(destination.fields):
        yield from _field(group, destination.spokes, color=color)


def _by_path(fields: Sequence[FieldChange]) -> list[list[FieldChange]]:
    groups: dict[object, list[FieldChange]] = {}
    for field in fields:
        groups.setdefault(field.traced.path, []).append(field)
    return list(groups.values())


def _field(group: list[FieldChange], spokes: tuple[str, ...], *, color: bool) -> Iterator[str]:
    for change in group[:_FIELD_SPOKES]:
        traced = change.traced
        lines, more = change_lines(traced.old, traced.new, color=color)
        where = "" if change.spokes == spokes else f" {on_spokes(change.spokes)}"
        source = paint(f"  ({source_text(traced.source)})", Style.FAINT, color=color)
        yield f"    {shown(traced.path)}: {lines}{where}{source}"
        yield from (f"        {line}" for line in more)
    if len(group) > _FIELD_SPOKES:
        yield f"    {shown(group[0].traced.path)}: {len(group) - _FIELD_SPOKES:,} more values"


def _placing(placing: Placing) -> str:
    hub, ref = placing.gateway, placing.ref
    if placing.existing:
        return f"{placing.rule} has the spoke's own {ref} stand for the hub's {hub.full_name}"
    return f"{placing.rule} places {hub}" + (f" as {ref.full_name}" if ref != hub else "")


def _not_shipped(left: NotShipped, *, color: bool) -> Iterator[str]:
    yield paint(f"Not {on_spokes(left.spokes)}", Style.BOLD, color=color)
    yield f"  {left.reason}"
    yield from (f"  {_placing(placing)}" for placing in left.placings)


def _spoke(explanation: SpokeExplanation, *, color: bool) -> Iterator[str]:
    name = paint(explanation.spoke, Style.BOLD, color=color)
    yield f"{name} ({explanation.origin}) gets {count(len(explanation.objects), 'object')}"
    yield from (f"  {_placing(placing)}" for placing in explanation.placings)
    if explanation.objects:
        yield ""
        yield paint("Rendered", Style.BOLD, color=color)
    for item in explanation.objects:
        was = "" if item.hub == item.ref else f", on the hub {item.hub.full_name}"
        yield f"  {item.ref}, in {item.path}{was}"
    yield ""
    yield from _requirements(explanation.requirements, color=color)


def _requirements(needed: Requirements, *, color: bool) -> Iterator[str]:
    if not (needed.namespaces or needed.gateways or needed.objects):
        yield "It needs nothing besides."
        return
    yield paint("Needed besides", Style.BOLD, color=color)
    yield from (f"  Namespace {name}" for name in needed.namespaces)
    for gateway in needed.gateways:
        listeners = f" with listeners {', '.join(gateway.listeners)}" if gateway.listeners else ""
        yield f"  {gateway.ref}{listeners}{_needed_by(gateway.needed_by)}"
    for required in needed.objects:
        yield f"  {_required(required)}{_needed_by(required.needed_by)}"


def _required(required: Required) -> str:
    ref = required.ref
    if ref.name:
        return f"{ref}{f', {required.note}' if required.note else ''}"
    labels = f"with labels {required.selector}" if required.selector else "with any labels"
    return f"{ref.kind} {labels} {required.note or f'in {ref.namespace}'}"


def _needed_by(refs: Sequence[Ref]) -> str:
    return f": for {listed([str(ref) for ref in refs], 3)}" if refs else ""


def _fleet(summary: FleetSummary) -> Iterator[str]:
    yield f"{count(len(summary.spokes), 'spoke')}, {count(summary.hub_objects, 'hub object')}"
    head = ("SPOKE", "GATEWAYS", "OBJECTS", "OVERRIDDEN")
    rows = [
        (spoke.spoke, f"{spoke.gateways}", f"{spoke.objects}", f"{spoke.overridden}")
        for spoke in summary.spokes
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for name, *numbers in (head, *rows) if rows else ():
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *cells])
    if summary.not_shipped:
        yield ""
        yield "On no spoke"
    yield from (f"  {ref}: {reason}" for ref, reason in summary.not_shipped)
